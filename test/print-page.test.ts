// The page on which an owner prints a code: what it shows is what the PDF has, and what the browser prints.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { templates, typographies, type TemplateName } from '../src/qr/print/template.ts'
import { accessibilityFaults, follow, press, sharedWindows, testsIn, untilTrue } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { printPdf } from './support/decoders.ts'
import { cropPgm } from './support/pgm.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, startServer, type Created, type TestServer } from './support/server.ts'
import { missedOf } from './support/three-decoders.ts'

const TARGET = 'https://example.com/menu'
const end = endOfFile()
let server: TestServer
let link: Created
const inBrowser = testsIn(sharedWindows(end, () => server.url))
const folder = mkdtempSync(join(tmpdir(), 'quirl-print-page-'))
after(() => rmSync(folder, { recursive: true, force: true }))
before(async () => {
  server = await startServer(end)
  link = await create(server, { target: TARGET, title: 'Menu', placements: [{ id: 'bar', name: 'The bar' }] })
})

const papers = Object.keys(templates) as TemplateName[]
const addressOf = (query: Record<string, string> = {}, { token }: Created = link) =>
  `${server.url}/m/${token}/print?${new URLSearchParams(query).toString()}`

/** Left, upper, right and lower edge, in millimetres. */
type Box = [left: number, top: number, right: number, bottom: number]

/** What a printed page has ink on, of a part of it. */
async function inkOf(pdf: Buffer, [left, top, right, bottom]: Box): Promise<Box> {
  const dpi = 150
  const file = await printPdf(pdf, dpi)
  const [head = '', across = ''] = /^P5\s(\d+) (\d+)\s255\s/.exec(file.toString('latin1', 0, 40)) ?? []
  const [pixels, width] = [file.subarray(head.length), Number(across)]
  const mm = (count: number) => (count * 25.4) / dpi
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [at, shade] of pixels.entries()) {
    const [x, y] = [mm(at % width), mm(Math.floor(at / width))]
    if (shade > 128 || x < left || y < top || x > right || y > bottom) continue
    box[0] = Math.min(box[0], x - left)
    box[1] = Math.min(box[1], y - top)
    box[2] = Math.max(box[2], x + mm(1) - left)
    box[3] = Math.max(box[3], y + mm(1) - top)
  }
  return box
}

/** What is drawn in the preview of a sheet: `select` finds elements in it. */
async function drawnOf(page: Page, select: string, { width }: { width: number }): Promise<Box> {
  const pixels = await page.evaluate<Box>(`{
    const sheet = document.querySelector('.page-sheet').getBoundingClientRect()
    const boxes = [...document.querySelectorAll(${JSON.stringify(select)})].map((each) => each.getBoundingClientRect())
    const scale = ${width} / sheet.width
    ;[
      Math.min(...boxes.map(({ left }) => left - sheet.left)) * scale,
      Math.min(...boxes.map(({ top }) => top - sheet.top)) * scale,
      Math.max(...boxes.map(({ right }) => right - sheet.left)) * scale,
      Math.max(...boxes.map(({ bottom }) => bottom - sheet.top)) * scale,
    ]
  }`)
  return pixels
}

function assertNear(actual: Box, expected: Box, what: string): void {
  const isNear = actual.every((value, at) => Math.abs(value - (expected[at] ?? 0)) < 0.5)
  const shown = (box: Box) => box.map((value) => value.toFixed(2)).join(' ')
  assert.ok(isNear, `${what}: ${shown(actual)}, not ${shown(expected)}`)
}

/** What marks for a cut take around a page. */
const MARKS = 9

inBrowser('the preview has the code and the texts where the PDF has them, on each paper', async (page, t) => {
  if (!requireProgram(t, 'pdftoppm', 'poppler-utils')) return
  const styles = Object.keys(typographies)
  for (const [at, paper] of papers.entries()) {
    const { width, height, isCut } = templates[paper]
    const style = styles[at % styles.length] ?? 'plain'
    for (const [select, texts] of [
      ['.page-sheet svg > g', { title: '', address: '0' }],
      ['.page-sheet svg > g, .page-sheet g:has(> title), .page-sheet rect', { title: 'Menu', text: 'Scan me' }],
    ] as const) {
      await page.goto(addressOf({ paper, style, ...texts }))
      const href = await page.getByRole('link', { name: 'Download PDF' }).getAttribute('href')
      const pdf = Buffer.from(await (await fetch(server.url + href)).arrayBuffer())
      const from = isCut ? MARKS : 0
      // Marks for folds stand at the edges.
      const edge = paper === 'tent-a4' ? 12 : 0
      const ink = await inkOf(pdf, [from + edge, from, from + width - edge, from + height])
      const drawn = await drawnOf(page, select, { width })
      assertNear(
        [ink[0] + edge, ink[1], ink[2] + edge, ink[3]],
        edge > drawn[0] ? [edge, drawn[1], width - edge, drawn[3]] : drawn,
        `${paper} ${style} ${select}`,
      )
    }
  }
})

/** What the browser prints of a page, and what a program says of it. */
async function printedBy(page: Page): Promise<{ pdf: Buffer; pages: number; size: string }> {
  const pdf = await page.pdf({ preferCSSPageSize: true, format: 'A3' })
  const file = join(folder, 'printed.pdf')
  writeFileSync(file, pdf)
  const info = execFileSync('pdfinfo', [file], { encoding: 'utf8' })
  const [, pages = '', across = '', down = ''] = /Pages: +(\d+)[^]*Page size: +(\S+) x (\S+)/.exec(info) ?? []
  const millimetres = (points: string) => Math.round((Number(points) * 25.4) / 72)
  return { pdf, pages: Number(pages), size: `${millimetres(across)} ${millimetres(down)}` }
}

inBrowser(
  'the browser prints the sheet alone on paper of its size, and what is cut out in the corner',
  async (page, t) => {
    if (!requireProgram(t, 'pdfinfo', 'poppler-utils')) return
    const sizes: Partial<Record<TemplateName, string>> = {
      a4: '210 297',
      'tent-a4': '210 297',
      a5: '148 210',
      a6: '105 148',
      letter: '216 279',
    }
    for (const paper of papers) {
      await page.goto(addressOf({ paper, text: 'Scan me', lang: 'de' }))
      const { pdf, pages, size } = await printedBy(page)
      assert.deepEqual([pages, size], [1, sizes[paper] ?? '297 420'], paper)
      const { width, height, isCut } = templates[paper]
      if (!isCut) continue
      // A line shows where to cut.
      const ink = await inkOf(pdf, [0, 0, 297, 420])
      assertNear(ink, [10, 10, 10 + width, 10 + height], paper)
    }
  },
)

/** Scripts that no font of a PDF has. */
/** What is cut out of a printed sheet, as it is held before a phone; it lies 10 mm from the edges. Other papers are as they are. */
function cutOut(paper: TemplateName, file: Buffer, dpi: number): Buffer {
  const { isCut, width, height } = templates[paper]
  if (!isCut) return file
  const pixels = (mm: number) => (mm / 25.4) * dpi
  return cropPgm(file, { x: pixels(10), y: pixels(10), width: pixels(width), height: pixels(height) })
}

const foreign = {
  'Chinese and Japanese': { title: '扫描二维码 メニュー', text: '用手机扫描，查看菜单。'.repeat(4) },
  Arabic: { title: 'امسح الرمز', text: 'قائمة الطعام والمشروبات لهذا اليوم' },
  Hebrew: { title: 'סרקו אותי', text: 'התפריט של היום, 12:00' },
  emoji: { title: '🍜 Menu 👩‍🍳', text: '☕ 🥐 🇫🇷' },
  'a sentence in one character': { title: '﷽', text: '﷽' },
}

inBrowser(
  'the browser prints scripts that the PDF cannot have: the page says so, no text leaves its box, and the code is read',
  async (page, t) => {
    if (!requireProgram(t, 'pdftoppm', 'poppler-utils') || !requireProgram(t, 'zbarimg', 'zbar-tools')) return
    const pictures: { name: string; text: string; file: Buffer }[] = []
    for (const paper of ['a4', 'card-85x55', 'sticker-50-round'] as const)
      for (const [script, texts] of Object.entries(foreign)) {
        const short = paper === 'sticker-50-round' ? { ...texts, text: '' } : texts
        assert.equal((await page.goto(addressOf({ paper, ...short })))?.status(), 200)
        await page
          .getByText(/^The PDF cannot have these characters: /)
          .first()
          .waitFor()
        assert.equal(await page.getByRole('link', { name: 'Download PDF' }).count(), 0)
        const { width, height, edge } = templates[paper]
        const box = await drawnOf(page, '.page-sheet text, .page-sheet g:has(> title)', { width })
        const isInside = box[0] >= edge - 0.1 && box[1] >= 0 && box[2] <= width - edge + 0.1 && box[3] <= height
        assert.ok(isInside, `${paper} ${script}: ${box.join(' ')}`)
        const { pdf } = await printedBy(page)
        for (const dpi of [150, 300])
          pictures.push({
            name: `${paper} ${script} ${dpi}`,
            text: `${link.short_url}?qr=1`,
            file: cutOut(paper, await printPdf(pdf, dpi), dpi),
          })
      }
    assert.deepEqual(await missedOf(pictures, ['zbarimg', 'zxing-wasm']), [])
  },
  { scripts: true },
)

inBrowser(
  'where a font of the browser is wider than any that was measured, texts are narrowed to their lines',
  async (page) => {
    // Three times the size, as if the font were that wide.
    await page.route(/\/print\?/, async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(
        /font-size="([\d.]+)"/g,
        (_, size) => `font-size="${3 * Number(size)}"`,
      )
      await route.fulfill({ response, body })
    })
    for (const paper of ['a4', 'card-85x55'] as const)
      for (const title of ['扫描二维码', 'امسح الرمز']) {
        await page.goto(addressOf({ paper, title, address: '0' }))
        await page.locator('text[textLength]').first().waitFor()
        const { width, edge } = templates[paper]
        const [left, , right] = await drawnOf(page, '.page-sheet text', { width })
        assert.ok(left >= edge - 0.1 && right <= width - edge + 0.1, `${paper} ${title}: ${left} to ${right}`)
      }
    await page.unrouteAll()
  },
  { scripts: true },
)

inBrowser('without scripts, the form shows each choice, keeps its address, and leads to the PDF', async (page) => {
  await page.goto(`${server.url}/m/${link.token}`)
  await follow(page, page.getByRole('link', { name: 'More to print' }))
  await page.getByRole('img', { name: 'Preview: Poster A4' }).waitFor()
  assert.equal(await page.getByLabel('Headline').inputValue(), 'Menu')
  await page.getByLabel('Table tent').check()
  await page.getByLabel('Headline').fill('Drinks')
  await page.getByLabel('Text', { exact: true }).fill('From 5\nto 7')
  await page.getByLabel('Loud').check()
  await page.getByLabel('Short link below').uncheck()
  await page.getByLabel('Where does it hang?').selectOption('The bar')
  assert.equal(await press(page, 'Show it'), 200)
  await page.getByRole('img', { name: 'Preview: Table tent' }).waitFor()
  assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'From 5 to 7')
  assert.equal(await page.getByLabel('Short link below').isChecked(), false)
  const download = page.getByRole('link', { name: 'Download PDF' })
  const query = Object.fromEntries(new URL((await download.getAttribute('href')) ?? '', server.url).searchParams)
  const chosen = {
    paper: 'tent-a4',
    style: 'loud',
    title: 'Drinks',
    text: 'From 5 to 7',
    address: '0',
    placement: 'bar',
  }
  assert.deepEqual(query, chosen)
  assert.equal(await download.getAttribute('download'), `${link.code}-bar-tent-a4.pdf`)
})

inBrowser('what does not fit is said at its field, and every field keeps what was typed', async (page) => {
  const title = 'wide '.repeat(39)
  for (const [typed, fault] of [
    [title, 'Headline: This does not fit onto the paper'],
    ['x'.repeat(201), 'Headline: This is too long: at most 200 characters, please.'],
    ['a\u2028b\u200bc', 'Headline: There is an invisible character'],
  ] as const) {
    await page.goto(addressOf({ paper: 'sticker-50', title: typed, text: 'Kept', style: 'classic', address: '0' }))
    await page.getByText(fault).waitFor()
    assert.equal(await page.getByLabel('Headline').getAttribute('aria-invalid'), 'true')
    assert.equal(await page.getByLabel('Headline').inputValue(), typed.replace('\u2028', ' '))
    assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Kept')
    assert.ok((await page.getByLabel('Square sticker').isChecked()) && (await page.getByLabel('Classic').isChecked()))
    assert.equal(await page.getByLabel('Short link below').isChecked(), false)
    await page.getByText('Code up to 130').waitFor()
  }
})

inBrowser('a code of many dots says which paper is too small for it, and which is not', async (page) => {
  const { token } = await create(server, {
    target: TARGET,
    alias: 'x'.repeat(64),
    placements: [{ id: 'y'.repeat(32) }],
  })
  await put(`${server.url}/api/manage/${token}`, { design: { ecl: 'H', margin: 8 } })
  const dense = { token } as Created
  await page.goto(addressOf({ paper: 'sticker-50-round', placement: 'y'.repeat(32) }, dense))
  await page
    .getByText(/so many dots that it must be at least \d+\u00a0mm wide\. .* works\./)
    .first()
    .waitFor()
  await page
    .getByText(/^Too small: this code needs \d+\u00a0mm$/)
    .first()
    .waitFor()
})

inBrowser(
  'with scripts, the preview follows the fields, one request at a time, and so do the address and the faults',
  async (page) => {
    let [running, most] = [0, 0]
    await page.goto(addressOf())
    await page.route(/\/print\?/, async (route) => {
      most = Math.max(most, ++running)
      const response = await route.fetch()
      await new Promise((resolve) => setTimeout(resolve, 300))
      running--
      await route.fulfill({ response })
    })
    await page.getByLabel('Business card').check()
    await page.getByRole('img', { name: 'Preview: Business card' }).waitFor()
    await page.getByLabel('Headline').pressSequentially('ramen 拉麺', { delay: 60 })
    await page.getByText('The PDF cannot have these characters: 拉 麺.').waitFor()
    await page.getByLabel('Headline').fill('Ramen')
    await page.getByLabel('Headline').fill('Ramen bar')
    await page.getByLabel('Short link below').uncheck()
    await page.getByRole('link', { name: 'Download PDF' }).waitFor()
    await untilTrue(page, `new URLSearchParams(location.search).get('title') === 'Ramen bar'`)
    assert.match(new URL(page.url()).search, /paper=card-85x55.*address=0/)
    assert.equal(await page.getByRole('button', { name: 'Show it' }).count(), 0)
    assert.equal(most, 1)
    await page.getByLabel('Headline').fill('W'.repeat(200))
    await page.getByText('Headline: This does not fit').waitFor()
    assert.equal(await page.getByLabel('Headline').getAttribute('aria-invalid'), 'true')
    await page.unroute(/\/print\?/)
    await page.route(/\/print\?/, (route) => route.abort())
    await page.getByLabel('Headline').fill('Drinks')
    await page.getByRole('status').filter({ hasText: 'cannot be shown right now' }).waitFor()
    await page.unrouteAll()
  },
  { scripts: true },
)

inBrowser(
  'people who see little or use no mouse can use the page, in both colours',
  async (page) => {
    for (const query of [
      { paper: 'tent-a4', style: 'loud' },
      { paper: 'sticker-50', title: 'wide '.repeat(39) },
    ]) {
      await page.goto(addressOf(query))
      assert.deepEqual(await accessibilityFaults(page), [])
    }
  },
  { scripts: true },
)

test('the page is private, is charged as an image, and shows the logo of a design, also below a collection', async () => {
  const { token } = (await (await post(`${server.url}/api/collections`, {})).json()) as Created
  const inside = await create(server, { target: TARGET }, { 'quirl-collection': token })
  const png = Buffer.from(await (await fetch(`${server.url}/${link.code}/qr.png?size=64`)).arrayBuffer()).toString(
    'base64',
  )
  const design = { logo: { image: `data:image/png;base64,${png}` } }
  await put(`${server.url}/api/manage/${inside.token}`, { design })
  const answer = await fetch(`${server.url}/c/${token}/${inside.code}/print?logo=1`)
  const text = await answer.text()
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
  assert.match(answer.headers.get('content-security-policy') ?? '', /img-src 'self' data:/)
  assert.equal(text.split('<image').length - 1, 2, 'in the code and above the headline')
  assert.match(text, new RegExp(`href="/c/${token}/${inside.code}"`))
  assert.equal((await fetch(`${server.url}/m/${'x'.repeat(43)}/print`)).status, 404)
  const few = await startServer(end, { LIMIT_QR: '1' })
  const limited = await create(few, { target: TARGET })
  const ask = async () => (await fetch(`${few.url}/m/${limited.token}/print`)).status
  assert.deepEqual([await ask(), await ask()], [200, 429])
})

test('a code that many phones cannot read is warned of before it is printed, in both languages', async () => {
  const pale = await create(server, { target: TARGET, design: { fg: '#ffffff', bg: '#102030' } })
  const shown = async (language: string, of: Created) =>
    (await fetch(addressOf({}, of), { headers: { 'accept-language': language } })).text()
  assert.match(await shown('de', pale), /Viele Handys können diesen Code nicht lesen/)
  assert.match(await shown('en', pale), /Many phones cannot read this code/)
  assert.doesNotMatch(await shown('en', link), /Many phones cannot read/)
})
