// Sheets of codes: `POST /api/print`, as clients ask for them and as printers get them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { labelFormats, type LabelFormat } from '../src/qr/print/labels.ts'
import { endOfFile } from './support/cleanup.ts'
import { printPdf } from './support/decoders.ts'
import { requireProgram } from './support/programs.ts'
import { decoderNames, missedOf } from './support/three-decoders.ts'
import { create, put, startServer, type Created, type TestServer } from './support/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'quirl-sheets-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const end = endOfFile()
let server: TestServer
let link: Created
const places = Array.from({ length: 42 }, (_, at) => ({ id: `room-${at + 1}`, name: `Zimmer ${at + 1}` }))

before(async () => {
  server = await startServer(end, { BASE_URL: 'https://qr.example.com', LIMIT_QR: '100000' })
  link = await create(server, { target: 'https://example.com/', title: 'Hotel', campaign: 'summer' })
  await put(`${server.url}/api/manage/${link.token}`, { placements: places })
})

const post = (path: string, body: object) =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function sheetOf(body: object): Promise<Buffer> {
  const answer = await post('/api/print', body)
  assert.equal(answer.status, 200, await answer.clone().text())
  return Buffer.from(await answer.arrayBuffer())
}

async function refusalOf(body: object): Promise<[status: number, code: string, pointers: string[], detail: string]> {
  const answer = await post('/api/print', body)
  const {
    code,
    errors = [],
    detail,
  } = (await answer.json()) as {
    code: string
    errors?: { pointer: string; detail: string }[]
    detail: string
  }
  return [answer.status, code, errors.map(({ pointer }) => pointer), errors[0]?.detail ?? detail]
}

function ask(program: string, args: (file: string) => string[], pdf: Buffer): string {
  const file = join(folder, 'sheet.pdf')
  writeFileSync(file, pdf)
  return execFileSync(program, args(file), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

const textOf = (pdf: Buffer) => ask('pdftotext', (file) => ['-layout', file, '-'], pdf)
const pagesOf = (pdf: Buffer) => Number(/^Pages: +(\d+)$/m.exec(ask('pdfinfo', (file) => [file], pdf))?.[1])

/** The kinds of the images of a file. */
const imagesOf = (pdf: Buffer) =>
  Array.from(ask('pdfimages', (file) => ['-list', file], pdf).matchAll(/^ +\d+ +\d+ (\w+)/gm), ([, kind]) => kind)

/** A page as poppler draws it. */
interface Drawn {
  dpi: number
  width: number
  pixels: Buffer
}

async function drawPage(pdf: Buffer, page: number, dpi: number): Promise<Drawn> {
  const one = join(folder, 'one.pdf')
  ask('qpdf', (file) => [file, '--pages', '.', String(page), '--', one], pdf)
  const file = await printPdf(readFileSync(one), dpi)
  const [head = '', width = ''] = /^P5\s(\d+) (\d+)\s255\s/.exec(file.toString('latin1', 0, 40)) ?? []
  return { dpi, width: Number(width), pixels: file.subarray(head.length) }
}

/** The part of a page that is a label, in pixels. */
function labelOn({ dpi, width, pixels }: Drawn, { left, top, pitchX, pitchY, ...format }: LabelFormat, at: number) {
  const toPixels = (mm: number) => Math.round((mm / 25.4) * dpi)
  const x = toPixels(left + (at % format.columns) * pitchX)
  const y = toPixels(top + Math.floor(at / format.columns) * pitchY)
  const [across, down] = [toPixels(format.width), toPixels(format.height)]
  const rows = Array.from({ length: down }, (_, row) => pixels.subarray((y + row) * width + x).subarray(0, across))
  return { across, down, pixels: Buffer.concat(rows) }
}

function writeLabel({ across, down, pixels }: ReturnType<typeof labelOn>): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${across} ${down}\n255\n`), pixels])
}

/** The middle of what is black on a label, from that of the label, in millimetres. */
function offCentre({ across, down, pixels }: ReturnType<typeof labelOn>, dpi: number): [x: number, y: number] {
  const black = Array.from(pixels.keys()).filter((at) => (pixels[at] ?? 255) < 128)
  const middle = (values: number[], of: number) =>
    (((values.reduce((least, each) => Math.min(least, each), of) +
      values.reduce((most, each) => Math.max(most, each), 0) +
      1) /
      2 -
      of / 2) /
      dpi) *
    25.4
  return [
    middle(
      black.map((at) => at % across),
      across,
    ),
    middle(
      black.map((at) => Math.floor(at / across)),
      down,
    ),
  ]
}

const programs = [
  ['pdftotext', 'poppler-utils'],
  ['qpdf', 'qpdf'],
  ['zbarimg', 'zbar-tools'],
] as const

test('42 placements go onto two and a bit sheets of labels from the fourth label on, each with its own code and name', async (t) => {
  if (!programs.every(([program, of]) => requireProgram(t, program, of))) return
  const pdf = await sheetOf({
    links: [link.token],
    labels: 'avery-l7160',
    placements: true,
    text: 'placement',
    start: 4,
    style: 'classic',
  })
  assert.match(
    ask('qpdf', (file) => ['--check', file], pdf),
    /No syntax or stream encoding errors found/,
  )
  assert.equal(pagesOf(pdf), 3)
  const text = textOf(pdf)
  assert.equal(text.match(/Zimmer/g)?.length, places.length)
  const format = formatOf('avery-l7160')
  const pages = [await drawPage(pdf, 1, 200), await drawPage(pdf, 2, 200), await drawPage(pdf, 3, 200)]
  const pictures = places.map(({ id }, at) => {
    const slot = at + 3
    const page = pages[Math.floor(slot / 21)]
    assert.ok(page)
    const file = writeLabel(labelOn(page, format, slot % 21))
    return { name: id, text: `https://qr.example.com/${link.code}?qr=${id}`, file }
  })
  assert.deepEqual(await missedOf(pictures, decoderNames), [])
})

test('codes lie where labels are cut, in their middles, moved by the offset', async (t) => {
  if (!requireProgram(t, 'pdftoppm', 'poppler-utils') || !requireProgram(t, 'qpdf', 'qpdf')) return
  const dpi = 300
  for (const id of ['avery-l7160', 'avery-5160', 'avery-l7163', 'herma-4360', 'avery-l3415']) {
    const format = formatOf(id)
    const links = Array.from({ length: format.columns * format.rows }, () => link.code)
    for (const offset of [
      [0, 0],
      [1.5, -2],
    ] as const) {
      const page = await drawPage(await sheetOf({ links, labels: id, text: 'none', offset }), 1, dpi)
      for (const at of [0, format.columns - 1, links.length - 1]) {
        const [x, y] = offCentre(labelOn(page, format, at), dpi)
        // A tenth of a millimetre, and the half of a pixel by which the label itself is rounded.
        const most = 0.1 + 25.4 / dpi / 2
        assert.ok(Math.abs(x - offset[0]) <= most && Math.abs(y - offset[1]) <= most, `${id} ${at}: ${x} ${y}`)
      }
    }
  }
})

function formatOf(id: string): LabelFormat {
  const format = labelFormats[id]
  assert.ok(format)
  return format
}

/** The texts that decoders miss on the first labels of a page, or on the page itself. */
async function missedOn(
  pdf: Buffer,
  page: number,
  format: LabelFormat | undefined,
  texts: string[],
): Promise<string[]> {
  const drawn = await drawPage(pdf, page, 200)
  const files = texts.map((_, at) =>
    format === undefined
      ? Buffer.concat([Buffer.from(`P5\n${drawn.width} ${drawn.pixels.length / drawn.width}\n255\n`), drawn.pixels])
      : writeLabel(labelOn(drawn, format, at)),
  )
  return missedOf(
    texts.map((text, at) => ({ name: text, text, file: files[at] ?? Buffer.alloc(0) })),
    decoderNames,
  )
}

test('a collection is printed as a whole or by campaign, with the designs of its links', async (t) => {
  if (!programs.every(([program, of]) => requireProgram(t, program, of))) return
  const { token } = (await (await post('/api/collections', {})).json()) as { token: string }
  const made: Created[] = []
  for (const [at, campaign] of ['bar', 'bar', 'hall'].entries())
    made.push(await create(server, { target: `https://example.com/${at}`, title: `Tisch ${at + 1}`, campaign }))
  await post(`/api/collections/${token}/links`, { tokens: made.map((each) => each.token) })
  const design = { fg: '#5a189a', shape: 'dots', logo: { image: LOGO } }
  await put(`${server.url}/api/manage/${made[0]?.token}`, { design })
  const urls = made.map(({ code }) => `https://qr.example.com/${code}?qr=1`)
  const whole = await sheetOf({ collection: token, labels: 'avery-l7163', text: 'title' })
  assert.deepEqual(await missedOn(whole, 1, formatOf('avery-l7163'), urls), [])
  assert.match(textOf(whole), /Tisch 1[^]*Tisch 2[^]*Tisch 3/)
  const bar = await sheetOf({ collection: token, campaign: 'bar', paper: 'a5', text: { own: 'Bestellen' } })
  assert.equal(pagesOf(bar), 2)
  assert.deepEqual(await missedOn(bar, 2, undefined, urls.slice(1, 2)), [])
  // The logo, once, with its opacity.
  assert.deepEqual(imagesOf(whole), ['image', 'smask'])
  assert.deepEqual((await refusalOf({ collection: token, campaign: 'none', labels: 'avery-l7163' })).slice(0, 3), [
    400,
    'invalid_request',
    ['/campaign'],
  ])
  assert.deepEqual(
    (await refusalOf({ collection: `collection_${'x'.repeat(43)}`, labels: 'avery-l7163' })).slice(0, 2),
    [404, 'collection_not_found'],
  )
})

const LOGO = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#9b2226"/></svg>').toString('base64')}`

test('a code without its token is printed, but nothing that only owners read', async () => {
  assert.ok((await sheetOf({ links: [link.code], labels: 'avery-5160' })).length > 0)
  for (const more of [{ text: 'title' }, { text: 'campaign' }, { text: 'placement' }, { placements: true }]) {
    const [status, code, pointers] = await refusalOf({ links: [link.token, link.code], labels: 'avery-5160', ...more })
    assert.deepEqual([status, code, pointers], [400, 'invalid_request', ['/links/1']])
  }
})

test('what cannot be printed is refused with each field and its bound, and nothing is printed', async () => {
  const { token } = await create(server, { target: 'https://example.com/', title: 'Café 😀' })
  const gone = await create(server, { target: 'https://example.com/' })
  await fetch(`${server.url}/api/manage/${gone.token}`, { method: 'DELETE' })
  const labels = 'avery-l7160'
  const links = [link.code]
  for (const [body, status, code, pointer, words] of [
    [{ links: ['nothing-here', link.code, 'x y'], labels }, 404, 'unknown_code', '/links/0', /no link/],
    [{ links: [link.code, gone.code], labels }, 410, 'code_gone', '/links/1', /deleted/],
    [{ links: [token], labels, text: 'title' }, 400, 'text_not_printable', '/text', /😀/],
    [{ links, labels, text: { own: 'a\u200bb' } }, 400, 'invalid_request', '/text', /U\+200B/],
    [{ links, labels, text: { own: 'W'.repeat(200) } }, 400, 'text_too_long', '/text', /shorter/],
    [{ links, labels: 'avery-l4731' }, 400, 'invalid_request', '/labels', /0\.4 mm/],
    [{ links, labels: 'avery-l7161x' }, 400, 'invalid_request', '/labels', /avery-l7161/],
    [{ links, labels: '5x5' }, 400, 'invalid_request', '/labels', /10/],
    [{ links, labels, start: 22 }, 400, 'invalid_request', '/start', /1 to 21/],
    [{ links, labels, offset: [0, 11] }, 400, 'invalid_request', '/offset', /10/],
    [{ links, labels, offset: [1] }, 400, 'invalid_request', '/offset', /2/],
    [{ links, paper: 'a0' }, 400, 'invalid_request', '/paper', /tent-a4/],
    [{ links, paper: 'constructor' }, 400, 'invalid_request', '/paper', /tent-a4/],
    [{ links, paper: 'a4', start: 2 }, 400, 'invalid_request', '/start', /labels/],
    [{ links }, 400, 'invalid_request', '/labels', /paper/],
    [{ labels }, 400, 'invalid_request', '/links', /collection/],
    [{ links, labels, campaign: 'x' }, 400, 'invalid_request', '/campaign', /collection/],
    [{ collection: `collection_${'x'.repeat(43)}`, labels, campaign: 'a\0' }, 400, 'invalid_request', '/campaign', /./],
    [{ collection: 'a\0', labels }, 404, 'collection_not_found', undefined, /./],
    [{ links: ['a\0', `${'x'.repeat(42)}\0`], labels }, 404, 'unknown_code', '/links/0', /no link/],
    [{ links: Array(1001).fill(link.code), labels }, 400, 'invalid_request', '/links', /1000/],
    [{ links: Array(24).fill(link.token), labels, placements: true }, 400, 'invalid_request', '/placements', /1,000/],
  ] as const) {
    const [answered, problem, pointers, detail] = await refusalOf(body)
    assert.deepEqual([answered, problem, pointers[0]], [status, code, pointer], JSON.stringify(body).slice(0, 200))
    assert.match(detail, words, JSON.stringify(body).slice(0, 200))
  }
})

test('an SVG has its size in millimetres when it is asked for, also with a design', async () => {
  const made = await create(server, { target: 'https://example.com/' })
  const svgOf = async (query: string) => (await fetch(`${server.url}/${made.code}/qr.svg${query}`)).text()
  assert.match(await svgOf('?width_mm=40'), /^<svg [^>]*width="40mm" height="40mm"/)
  assert.match(await svgOf(''), /^<svg [^>]*width="512" height="512"/)
  await put(`${server.url}/api/manage/${made.token}`, { design: { frame: { text: 'Scan me' } } })
  assert.match(await svgOf('?width_mm=40'), /^<svg [^>]*width="40mm" height="46\.797mm"/)
  for (const [query, status] of [
    ['?width_mm=4', 400],
    ['?width_mm=2001', 400],
  ] as const)
    assert.equal((await fetch(`${server.url}/${made.code}/qr.svg${query}`)).status, status)
})

const pageOf = async (path: string) => {
  const answer = await fetch(server.url + path, { headers: { accept: 'text/html', 'accept-language': 'de' } })
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    body: Buffer.from(await answer.arrayBuffer()),
  }
}

test('the forms on the pages of places and collections make the PDF by their addresses alone, and say what does not fit', async (t) => {
  if (!requireProgram(t, 'pdfinfo', 'poppler-utils')) return
  const { body } = await pageOf(`/m/${link.token}/placements`)
  const html = body.toString()
  const [, action = ''] = /<form class="label-form" method="get" action="([^"]+)"/.exec(html) ?? []
  assert.equal(action, `/m/${link.token}/labels.pdf`)
  for (const id of ['avery-l7160', 'avery-5160', 'herma-4226']) assert.ok(html.includes(`value="labels:${id}"`), id)
  const asked = {
    onto: 'labels:avery-l7160',
    free: '',
    text: 'placement',
    own: '',
    style: 'loud',
    placements: '1',
    start: '4',
    x: '0',
    y: '0',
  }
  const made = await pageOf(`${action}?${new URLSearchParams(asked).toString()}`)
  assert.deepEqual([made.status, made.type], [200, 'application/pdf'])
  assert.equal(pagesOf(made.body), 3)
  const free = await pageOf(`${action}?${new URLSearchParams({ ...asked, free: '60 × 40 + 2,5' }).toString()}`)
  assert.equal(free.status, 200)
  const onLetter = { ...asked, onto: 'labels:avery-5160', free: '60x40' }
  const letter = await pageOf(`${action}?${new URLSearchParams(onLetter).toString()}`)
  assert.match(
    ask('pdfinfo', (file) => [file], letter.body),
    /Page size: +612 x 792 pts \(letter\)/,
    'own labels lie on the paper of those that are chosen',
  )
  const refused = await pageOf(`${action}?${new URLSearchParams({ ...asked, onto: 'labels:avery-l4731' }).toString()}`)
  assert.equal(refused.status, 400)
  assert.match(refused.type, /text\/html/)
  assert.match(refused.body.toString(), /mindestens \d+ mm.*room-1/)
  assert.equal((await pageOf(`/m/${'x'.repeat(43)}/labels.pdf`)).status, 404)
})

test('why codes cannot be printed is said in the language of the form, with the links that it is about and a way back', async () => {
  const c = await collectionOf('Menü', [
    { title: 'Menü 🍕', alias: 'pizza' },
    { title: 'Speisekarte mit Allergenen und allen Zusatzstoffen', alias: 'l'.repeat(64) },
  ])
  const refusedFor = async (fields: Record<string, string>) => {
    const { status, body } = await pageOf(`/c/${c}/labels.pdf?${new URLSearchParams(fields).toString()}`)
    assert.equal(status, 400, JSON.stringify(fields))
    const page = body.toString()
    assert.ok(page.includes(`href="/c/${c}#label-onto"`))
    const said = /<ul>(.*?)<\/ul>/s.exec(page)?.[1] ?? ''
    assert.doesNotMatch(said, /must|has |characters/i, said)
    return said
  }
  const cases: [Record<string, string>, RegExp][] = [
    [{ text: 'title' }, /Neben jedem Code: Das PDF kann diese Zeichen nicht haben: 🍕.*<b>pizza<\/b>/],
    [{ onto: 'labels:herma-4387', text: 'none' }, /Drucken auf: .*mindestens \d+ mm.*<b>l{64}<\/b>/],
    [
      { text: 'own', own: 'WORT'.repeat(50), onto: 'labels:avery-l7651' },
      /Neben jedem Code: Der Text passt nicht.*pizza.*l{64}/,
    ],
    [{ text: 'own', own: 'Wort'.repeat(51) }, /Neben jedem Code: Das ist zu lang: bitte höchstens 200/],
    [{ text: 'own', own: 'a\u200bb' }, /unsichtbares Zeichen/],
    [{ start: '22' }, /Beginnen bei Etikett: Der Bogen hat die Etiketten 1 bis 21/],
    [{ start: 'x' }, /Beginnen bei Etikett: Bitte prüfen/],
    [{ x: '11' }, /Verschieben um \(mm\): .*-10 bis 10/],
    [{ free: '5x5' }, /Drucken auf: .*60x40\+2.*10 × 10 mm/],
    [{ campaign: 'none' }, /Nur die Kampagne: .*keine Links/],
  ]
  for (const [fields, expected] of cases) assert.match(await refusedFor({ text: 'alias', ...fields }), expected)
})

test('line ends in titles are blanks on paper', async (t) => {
  if (!requireProgram(t, 'pdftotext', 'poppler-utils')) return
  const c = await collectionOf('Lines', [{ title: 'Table\r\n\tone', alias: 'lines' }])
  assert.match(textOf(await sheetOf({ collection: c, labels: 'avery-l7165', text: 'title' })), /Table one/)
  const poster = await pageOf('/lines/print.pdf?paper=a4&title=Table%0D%0Aone')
  assert.equal(poster.status, 200)
  assert.match(textOf(poster.body), /Table one/)
})

test('a name with umlauts stands below a code as its owner writes it', async (t) => {
  if (!requireProgram(t, 'pdftotext', 'poppler-utils')) return
  const bakery = await startServer(t, { BASE_URL: 'https://qr.bäckerei.de' })
  const { code } = await create(bakery, { target: 'https://example.com/', alias: 'menu' })
  const page = await fetch(`${bakery.url}/${code}/print.pdf`)
  const sheet = await fetch(`${bakery.url}/api/print`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ links: [code], paper: 'card-85x55' }),
  })
  for (const answer of [page, sheet]) {
    assert.equal(answer.status, 200, await answer.clone().text())
    assert.match(textOf(Buffer.from(await answer.arrayBuffer())), /^ *qr\.bäckerei\.de\/menu$/m)
  }
})

test('a collection with more than 1,000 links and no campaigns is printed in parts, by the API and by the form', async (t) => {
  if (!requireProgram(t, 'pdftotext', 'poppler-utils')) return
  const large = await startServer(t, { LIMIT_QR: '0', LIMIT_LINKS: '0' })
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(large.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const { token: c } = (await (await send('/api/collections', {})).json()) as { token: string }
  for (const count of [500, 500, 3]) {
    const rows = Array.from({ length: count }, (_, n) => ({ target: 'https://example.com/', title: `${count}-${n}` }))
    assert.equal((await send('/api/bulk', rows, { 'quirl-collection': c })).status, 201)
  }
  const asked = { collection: c, labels: 'avery-l7163', text: 'title' }
  const last = await send('/api/print', { ...asked, part: 2 })
  assert.equal(last.status, 200)
  assert.deepEqual(textOf(Buffer.from(await last.arrayBuffer())).match(/\d+-\d+/g), ['3-0', '3-1', '3-2'])
  const page = await (await fetch(`${large.url}/c/${c}`)).text()
  assert.match(page, /<option value="2">1,001–1,003<\/option>/)
  const file = await fetch(`${large.url}/c/${c}/labels.pdf?text=title&part=2`)
  assert.equal(pagesOf(Buffer.from(await file.arrayBuffer())), 1)
  for (const [more, pointer, detail] of [
    [{}, '/collection', /1,000 codes of one request.*by part/],
    [{ part: 3 }, '/part', /at most 2/],
    [{ part: 0 }, '/part', /at least 1/],
    [{ part: 11 }, '/part', /at most 10/],
  ] as const) {
    const { errors } = (await (await send('/api/print', { ...asked, ...more })).json()) as {
      errors: { pointer: string; detail: string }[]
    }
    assert.equal(errors[0]?.pointer, pointer)
    assert.match(errors[0]?.detail ?? '', detail)
  }
})

/** A new collection with links to the same page. */
async function collectionOf(name: string, links: { title: string; alias: string }[]): Promise<string> {
  const { token } = (await (await post('/api/collections', { name })).json()) as { token: string }
  for (const one of links) {
    const answer = await fetch(`${server.url}/api/links`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quirl-collection': token },
      body: JSON.stringify({ target: 'https://example.com/', ...one }),
    })
    assert.equal(answer.status, 201)
  }
  return token
}

test('each 50 codes count as one image, and each unknown one as a wrong one', async (t) => {
  const limited = await startServer(t, { LIMIT_QR: '3', LIMIT_MISSES: '2' })
  const { code } = await create(limited, { target: 'https://example.com/' })
  const print = (links: string[]) =>
    fetch(`${limited.url}/api/print`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ links, labels: 'avery-l7651', text: 'none' }),
    })
  assert.equal((await print(Array<string>(101).fill(code))).status, 200)
  const more = await print([code])
  assert.equal(more.status, 429)
  assert.equal((await print(['no-such-1', 'no-such-2', 'no-such-3'])).status, 429)
})

test('docs/qr.md names every format of labels, and none that there is not', () => {
  const docs = readFileSync(new URL('../docs/qr.md', import.meta.url), 'utf8')
  const rows = docs.split('\n').filter((line) => /^\| `(?:avery|herma)-/.test(line))
  const named = rows.flatMap((line) => Array.from(line.matchAll(/`((?:avery|herma)-[a-z\d]+)`/g), ([, id]) => id))
  assert.deepEqual(named.toSorted(), Object.keys(labelFormats).toSorted())
})

test('the calibration page has rulers of 100 mm and is there in both languages', async (t) => {
  if (!requireProgram(t, 'pdftotext', 'poppler-utils') || !requireProgram(t, 'qpdf', 'qpdf')) return
  for (const [lang, words] of [
    ['en', /Calibration page for US Letter/],
    ['de', /Kalibrierseite für US Letter/],
  ] as const) {
    const answer = await fetch(`${server.url}/api/print/calibration.pdf?paper=letter&language=${lang}`)
    assert.equal(answer.status, 200)
    const pdf = Buffer.from(await answer.arrayBuffer())
    assert.match(
      ask('qpdf', (file) => ['--check', file], pdf),
      /No syntax/,
    )
    assert.match(textOf(pdf), words)
  }
  assert.equal((await fetch(`${server.url}/api/print/calibration.pdf?paper=a3`)).status, 400)
})
