import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { printPdf, rasterize, readWithZxing } from './support/decoders.ts'
import { endOfFile } from './support/cleanup.ts'
import { badLogos, dataUri, jpegFile, pngFile, svgLogo } from './support/logos.ts'
import { PATIENCE_MS } from './support/poll.ts'
import { start } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import {
  create,
  patientThreads,
  post,
  put,
  startServer,
  visit,
  type Created,
  type TestServer,
} from './support/server.ts'
import { decoderNames, missedIn } from './support/three-decoders.ts'
import { createImages } from '../src/qr/images.ts'
import type { DesignJob } from '../src/qr/design/job.ts'
import type { DesignedImage } from '../src/qr/pool/job.ts'
import { createEncodeText } from '../src/qr/matrix.ts'
import { openPrintFonts } from '../src/qr/print/fonts.ts'
import { renderDesign } from '../src/qr/pool/render.ts'
import { openSupplies } from '../src/qr/pool/tools.ts'
import { createRenderPool } from '../src/qr/pool/pool.ts'
import { Problem } from '../src/http/problem.ts'

let server: TestServer
let link: Created
const DATA = 'https://example.com/menu/summer'

const end = endOfFile()

before(async () => {
  server = await startServer(end, { LIMIT_QR: '0', LIMIT_LINKS: '0', LIMIT_FAILURES: '0' })
  link = await create(server, { target: 'https://example.com/', alias: 'Summer-7' })
})

const design = (body: object, query = '') => post(`${server.url}/api/qr${query}`, { data: DATA, ...body })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

/** Asserts a 400 and returns its first error. */
async function refusal(response: Response, code = 'invalid_request') {
  const body = (await response.json()) as { code: string; errors: { pointer: string; detail: string }[] }
  assert.deepEqual([response.status, body.code], [400, code], JSON.stringify(body))
  return body.errors[0] ?? { pointer: '', detail: '' }
}

describe('a designed image', () => {
  test('is available as PNG, SVG and PDF, each with its type, level, grade and ETag', async () => {
    const look = { shape: 'rounded', eye_frame: 'leaf', eye_ball: 'circle', fg: '#1d3557' }
    for (const [format, type, start] of [
      ['png', 'image/png', '\x89PNG'],
      ['svg', 'image/svg+xml', '<svg'],
      ['pdf', 'application/pdf', '%PDF'],
    ] as const) {
      const response = await design({ format, design: look })
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), type)
      assert.match(response.headers.get('qr-level') ?? '', /^[LMQH]$/)
      assert.match(response.headers.get('qr-scannability') ?? '', /^(?:excellent|good)$/)
      assert.match(response.headers.get('etag') ?? '', /^"[\w-]{22}"$/)
      assert.ok((await bytesOf(response)).toString('latin1').startsWith(start))
    }
  })

  test('has exactly the requested width, and with a frame is higher than wide', async () => {
    for (const size of [300, 517, 1024]) {
      const plain = await bytesOf(await design({ size, design: { shape: 'dots' } }))
      assert.deepEqual([plain.readUInt32BE(16), plain.readUInt32BE(20)], [size, size])
      const framed = await bytesOf(await design({ size, design: { frame: { text: 'Scan me' } } }))
      assert.equal(framed.readUInt32BE(16), size)
      assert.ok(framed.readUInt32BE(20) > size * 1.1)
    }
  })

  test('without any choice is black squares on white: pixel for pixel the plain image', async () => {
    const plain = await bytesOf(await fetch(`${server.url}/api/qr?data=${DATA}&format=svg&size=330`))
    const designed = await bytesOf(await design({ format: 'svg', size: 330 }))
    assert.deepEqual(rasterize(designed.toString()), rasterize(plain.toString()))
  })

  test('contains its density on request, and a PDF has its width in millimetres', async () => {
    const png = await bytesOf(await design({ dpi: 300 }))
    assert.equal(png.readUInt32BE(png.indexOf('pHYs') + 4), 11_811)
    const pdf = (await bytesOf(await design({ format: 'pdf', width_mm: 25.4 }))).toString('latin1')
    assert.match(pdf, /MediaBox\[0 0 72 72\]/)
    const ofLink = await fetch(`${server.url}/${link.code}/qr.pdf?width_mm=25.4`)
    assert.match((await bytesOf(ofLink)).toString('latin1'), /MediaBox\[0 0 72 72\]/)
  })

  test('as a PDF has modules as large as its width allows, without a wider quiet zone', async () => {
    for (const { margin, frame, columns } of [
      { margin: 0, columns: 21 },
      { margin: 4, columns: 29 },
      { margin: 2, frame: { text: 'Scan me' }, columns: 27 },
    ]) {
      const body = { data: 'a', format: 'pdf', width_mm: columns, design: { margin, ...(frame && { frame }) } }
      const pdf = await bytesOf(await design(body))
      const content = inflateSync(pdf.subarray(pdf.indexOf('stream\n') + 7)).toString('latin1')
      const [page = 0, module = 0] = [...content.matchAll(/^([\d.]+) 0 0 -?[\d.]+ .* cm$/gm)].map(([, scale]) =>
        Number(scale),
      )
      assert.equal(((page * module * 25.4) / 72).toFixed(3), '1.000', `millimetres of a module, margin ${margin}`)
    }
  })

  test('contains no scripts or external resources: an SVG has a logo as shapes, or as data without metadata', async () => {
    const svg = (await bytesOf(await design({ format: 'svg', design: { logo: { image: svgLogo } } }))).toString()
    assert.doesNotMatch(svg, /script|href|onload|foreignObject/i)
    for (const image of [dataUri('png', pngFile(32, 16)), dataUri('jpeg', jpegFile())]) {
      const drawn = (await bytesOf(await design({ format: 'svg', design: { logo: { image, size: 0.12 } } }))).toString()
      const [, inside = ''] = /href="data:image\/\w+;base64,([^"]+)"/.exec(drawn) ?? []
      const file = Buffer.from(inside, 'base64').toString('latin1')
      assert.ok(file.length > 50)
      assert.doesNotMatch(file, /a place|Comment|Exif/)
    }
  })

  test('accepts a logo of any ratio, also one without whole pixels', async () => {
    for (const [width, height] of [
      [7, 5],
      [8, 3],
      [3, 7],
    ] as const) {
      for (const image of [dataUri('jpeg', jpegFile(width, height)), dataUri('png', pngFile(width, height))]) {
        const response = await design({ design: { logo: { image, size: 0.08 } } })
        assert.equal(response.status, 200, `${image.slice(0, 16)} of ${width} × ${height}: ${await response.text()}`)
      }
    }
  })

  test('has a level that its logo can be read at, and the report says how much correction the logo uses', async () => {
    const report = async (size: number) =>
      (await (await design({ design: { logo: { image: svgLogo, size } } }, '?report=true')).json()) as Report
    const [small, large] = [await report(0.08), await report(0.18)]
    assert.ok(small.logo_correction_used > 0 && small.logo_correction_used <= 0.6)
    assert.ok(large.logo_correction_used > small.logo_correction_used && large.logo_correction_used <= 0.6)
    assert.ok('QH'.includes(large.level))
    const { pointer, detail } = await refusal(await design({ design: { logo: { image: svgLogo, size: 0.4 } } }))
    assert.equal(pointer, '/design/logo/size')
    assert.match(detail, /at most 0\.\d+/)
  })

  test('without a requested size has a logo of the usual size or the largest that fits', async () => {
    for (const image of [dataUri('png', pngFile(16, 8)), dataUri('png', pngFile(40, 8))]) {
      const request = { data: 'https://q.example/k7dw3nq?qr=1', design: { logo: { image, size: 0.2 } } }
      assert.equal((await refusal(await design(request))).pointer, '/design/logo/size')
      const open = await design({ ...request, design: { logo: { image } } })
      assert.deepEqual([open.status, open.headers.get('qr-scannability')], [200, 'excellent'])
    }
  })

  test('with too large a logo is refused with the largest possible size', async () => {
    for (const [width, height] of [
      [8, 8],
      [16, 8],
      [40, 2],
      [2, 40],
    ] as const) {
      const image = dataUri('png', pngFile(width, height))
      for (const data of [DATA, 'https://q.example/k7dw3nq?qr=1', 'HTTPS://Q.EXAMPLE/K7DW3NQ.Q']) {
        const of = (size: number) => design({ data, design: { logo: { image, size } } })
        const { pointer, detail } = await refusal(await of(0.4))
        assert.equal(pointer, '/design/logo/size')
        const most = Number(/at most (0\.\d+)/.exec(detail)?.[1])
        assert.equal((await of(most)).status, 200, `${width}:${height}, ${data}, ${most}`)
        assert.equal((await of(most + 0.01)).status, 400, `${width}:${height}, ${data}, ${most}`)
      }
    }
  })

  test('with a logo that fits at no size is refused', async () => {
    const logo = { image: dataUri('png', pngFile(40, 2)) }
    const { pointer, detail } = await refusal(await design({ data: 'a', design: { logo } }))
    assert.deepEqual([pointer, /long and narrow/.test(detail)], ['/design/logo/image', true])
  })

  test('is graded at most fair where its logo covers an alignment pattern', async () => {
    const logo = { image: svgLogo, size: 0.12 }
    const report = async (length: number) => {
      const data = 'https://example.com/'.padEnd(length, 'x')
      return (await (await design({ data, ecl: 'H', boost: false, design: { logo } }, '?report=true')).json()) as Report
    }
    const [free, covered] = [await report(50), await report(64)]
    assert.deepEqual([free.version, free.logo_on_alignment, free.scannability], [6, false, 'excellent'])
    assert.deepEqual([covered.version, covered.logo_on_alignment, covered.scannability], [7, true, 'fair'])
    assert.ok(covered.checks.every(({ read }) => read))
  })

  test('has the same letters in its frame for composed and decomposed accents', async () => {
    const tags = await Promise.all(
      (['NFC', 'NFD'] as const).map(async (form) => {
        const response = await design({ format: 'svg', design: { frame: { text: 'Skön Мой Å café'.normalize(form) } } })
        return [response.status, response.headers.get('etag')]
      }),
    )
    assert.equal(tags[0]?.[0], 200)
    assert.deepEqual(tags[0], tags[1])
  })

  test('ignores If-None-Match, because the response to a POST is not cached', async () => {
    for (const known of ['*', (await design({})).headers.get('etag') ?? '']) {
      const headers = { 'content-type': 'application/json', 'if-none-match': known }
      const response = await fetch(`${server.url}/api/qr`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ data: DATA }),
      })
      assert.equal(response.status, 200)
      assert.ok((await bytesOf(response)).length > 100)
    }
  })

  test('is the same bytes for the same request', async () => {
    const look = {
      design: { shape: 'classy', logo: { image: svgLogo }, gradient: { type: 'radial', from: '#000', to: '#03045e' } },
    }
    for (const format of ['png', 'svg', 'pdf']) {
      const [one, other] = [await design({ ...look, format }), await design({ ...look, format })]
      assert.equal(one.headers.get('etag'), other.headers.get('etag'))
      assert.deepEqual(await bytesOf(one), await bytesOf(other))
    }
  })
})

interface Report {
  scannability: string
  version: number
  level: string
  contrast_ratio: number
  inverted: boolean
  quiet_zone: number
  logo_correction_used: number
  logo_on_alignment: boolean
  print: { smallest_mm: number; distance_mm: number }
  checks: { name: string; grade: string; read: boolean }[]
}

describe('the check', () => {
  test('reports contrast, quiet zone, the decoding attempts and the print size', async () => {
    const response = await design({ design: { fg: '#000080', margin: 2 } }, '?report=true')
    assert.match(response.headers.get('content-type') ?? '', /json/)
    const report = (await response.json()) as Report
    assert.ok(report.contrast_ratio > 15 && report.contrast_ratio < 17)
    assert.deepEqual([report.inverted, report.quiet_zone], [false, 2])
    assert.equal(report.print.distance_mm, report.print.smallest_mm * 10)
    assert.ok(report.checks.length >= 8)
    assert.ok(report.checks.every(({ name, read }) => name.length > 0 && typeof read === 'boolean'))
  })

  test('grades black squares on white as excellent, pale dots as fair, and light on dark as poor', async () => {
    const pale = { shape: 'dots', gradient: { type: 'linear', from: '#b75eff', to: '#4361ee' } }
    for (const [look, grade] of [
      [{ shape: 'square' }, 'excellent'],
      [pale, 'fair'],
      [{ fg: '#fff', bg: '#000' }, 'poor'],
      [{ fg: '#aaa' }, 'poor'],
    ] as const) {
      const response = await design({ design: look })
      assert.equal(response.headers.get('qr-scannability'), grade, JSON.stringify(look))
    }
  })

  test('refuses an unreadable image, and names the choice to change', async () => {
    const { pointer, detail } = await refusal(
      await design({ design: { eye_frame_color: '#ddd', eye_ball_color: '#ddd' } }),
      'unscannable',
    )
    assert.equal(pointer, '/design/eye_frame_color')
    assert.match(detail, /without eye_frame_color, eye_ball_color the image can be read/)
  })
})

describe('the check', () => {
  test('names the size when only a larger image is readable', async () => {
    const seen = (width: number) => ({ width, height: 1, pixels: new Uint8Array(1) })
    const tools = {
      encode: createEncodeText(),
      ...openSupplies(),
      rasterizer: {
        draw: () => ({ png: new Uint8Array(), gray: seen(40) }),
        drawPng: () => new Uint8Array(),
        photograph: (_: string, width: number) => seen(width),
        pixels: () => ({ width: 1, height: 1, rgba: new Uint8Array(4) }),
        png: () => new Uint8Array(),
      },
      reads: async ({ width }: { width: number }) => width > 100,
      printFonts: openPrintFonts,
    }
    const job = { text: DATA, design: {}, at: '/design', format: 'png' as const, size: 40 }
    await assert.rejects(renderDesign(job, tools), (error) => {
      assert.ok(error instanceof Problem)
      assert.deepEqual([error.code, error.errors[0]?.pointer], ['unscannable', '/size'])
      return true
    })
  })
})

test('a POST without a design returns the same plain image as a GET', async () => {
  for (const format of ['png', 'svg']) {
    const posted = await design({ format, size: 700, ecl: 'Q' })
    const query = new URLSearchParams({ data: DATA, format, size: '700', ecl: 'q' })
    const got = await fetch(`${server.url}/api/qr?${query.toString()}`)
    assert.deepEqual(await bytesOf(posted), await bytesOf(got))
    assert.equal(posted.headers.get('qr-level'), got.headers.get('qr-level'))
  }
})

describe('a grade', () => {
  const graded = async (body: object) =>
    (await design({ design: { shape: 'square' }, ...body })).headers.get('qr-scannability')

  test('is at most fair where modules are smaller than four pixels, or the quiet zone is narrower than two modules', async () => {
    const data = 'https://example.com/menu'
    const columns = 25 + 2 * 4
    assert.equal(await graded({ data, size: columns * 4 }), 'excellent')
    assert.equal(await graded({ data, size: columns * 4 - 1 }), 'fair')
    assert.equal(await graded({ data, design: { margin: 2 } }), 'excellent')
    assert.equal(await graded({ data, design: { margin: 1 } }), 'fair')
    assert.equal(await graded({ data, size: columns * 3, format: 'svg' }), 'excellent')
  })
})

test('a PNG without a background is white beneath, for decoders that ignore opacity', async (t) => {
  if (!requireProgram(t, 'zbarimg', 'zbar-tools')) return
  if (!requireProgram(t, 'ZXingReader', 'zxing-cpp-tools')) return
  const looks = [
    { bg: 'transparent', shape: 'dots', eye_frame: 'circle' },
    { bg: 'transparent', frame: { text: 'Scan me' }, gradient: { type: 'radial', from: '#5a189a', to: '#03045e' } },
    { bg: '#ffffff00', fg: '#000080c0' },
  ]
  const pictures = looks.map(async (look) => {
    const file = await bytesOf(await design({ design: look }))
    return { name: JSON.stringify(look), text: DATA, file }
  })
  const { missed, total } = await missedIn(await Promise.all(pictures), decoderNames)
  assert.deepEqual([missed, total], [[], 3])
})

test('the minimum level may be L, in the request or in the design; the higher of both counts', async () => {
  const level = async (body: object) => (await design({ boost: false, ...body })).headers.get('qr-level')
  assert.deepEqual(
    await Promise.all([
      level({}),
      level({ ecl: 'L' }),
      level({ design: { ecl: 'L' } }),
      level({ ecl: 'L', design: { ecl: 'Q' } }),
      level({ ecl: 'H', design: { ecl: 'Q' } }),
    ]),
    ['M', 'L', 'L', 'Q', 'H'],
  )
  const longest = await design({ ecl: 'L', data: 'x'.repeat(2953), format: 'svg' })
  assert.equal(longest.status, 200)
})

describe('a design that is saved for a link', () => {
  const look = { shape: 'rounded', fg: '#03045e', eye_frame: 'rounded' }
  const manage = () => `${server.url}/api/manage/${link.token}`
  const details = async () => (await (await fetch(manage())).json()) as { design: unknown }

  test('is not named in the error when the parameter of a visitor makes it unreadable', async () => {
    // In a dark frame, only the light margin separates the symbol from it.
    const owned = await create(server, { target: 'https://example.com/' })
    const saved = { frame: { text: 'Scan', color: '#000' }, margin: 2 }
    await put(`${server.url}/api/manage/${owned.token}`, { design: saved })
    assert.equal((await fetch(owned.qr_png)).status, 200)
    assert.equal((await refusal(await fetch(`${owned.qr_png}?margin=0`), 'unscannable')).pointer, '/margin')
    await put(`${server.url}/api/manage/${owned.token}`, { design: null })
  })

  test('is in the details and in the images of its link, until null removes it', async () => {
    const before = await bytesOf(await fetch(link.qr_svg))
    const response = await put(manage(), { design: look })
    assert.equal(response.status, 200)
    assert.deepEqual(((await response.json()) as { design: unknown }).design, look)
    assert.deepEqual((await details()).design, look)
    const designed = (await bytesOf(await fetch(link.qr_svg))).toString()
    assert.match(designed, /#03045e/)
    await put(manage(), { design: null })
    assert.equal((await details()).design, null)
    assert.deepEqual(await bytesOf(await fetch(link.qr_svg)), before)
  })

  test('without a choice leaves the plain image', async () => {
    const before = await bytesOf(await fetch(link.qr_svg))
    await put(manage(), { design: {} })
    assert.deepEqual(await bytesOf(await fetch(link.qr_svg)), before)
    await put(manage(), { design: null })
  })

  test('creates a new revision when it changes, and none when it does not', async () => {
    const tag = async (response: Response) => (await response.arrayBuffer(), response.headers.get('etag'))
    const first = await tag(await put(manage(), { design: look }))
    assert.equal(await tag(await put(manage(), { design: look })), first)
    assert.notEqual(await tag(await put(manage(), { design: { ...look, fg: '#000' } })), first)
    const stale = await put(manage(), { design: look }, { 'if-match': first ?? '' })
    assert.equal(stale.status, 412)
    await stale.arrayBuffer()
  })

  test('lets visitors choose the size and the quiet zone, and ignores other parameters', async () => {
    await put(manage(), { design: look })
    const png = await bytesOf(await fetch(`${link.qr_png}?size=777`))
    assert.equal(png.readUInt32BE(16), 777)
    const tags = await Promise.all(
      ['', '?margin=9', '?fg=f00', '?bg=0f0'].map(async (query) => {
        const response = await fetch(link.qr_png + query)
        await response.arrayBuffer()
        return response.headers.get('etag')
      }),
    )
    assert.notEqual(tags[1], tags[0])
    assert.deepEqual(tags.slice(2), [tags[0], tags[0]])
  })

  test('decodes as the short URL in a PNG, and a PDF has the requested width and a file name', async () => {
    await put(manage(), { design: { ...look, logo: { image: svgLogo } } })
    const [reading] = await readWithZxing(await bytesOf(await fetch(link.qr_png)))
    assert.equal(reading?.text, `${link.short_url}?qr=1`)
    const pdf = await fetch(`${server.url}/${link.code}/qr.pdf?width_mm=30`)
    assert.equal(pdf.headers.get('content-disposition'), `inline; filename="${link.code}.pdf"`)
    const drawing = (await bytesOf(pdf)).toString('latin1')
    assert.match(drawing, /MediaBox\[0 0 85\.0394 85\.0394\]/)
  })

  test('fills a sheet of paper with copies that all scan, and refuses a width of which none fits', async (t) => {
    if (!requireProgram(t, 'pdftoppm', 'poppler-utils')) return
    const looks = [null, { ...look, frame: { text: 'Scan me' } }]
    const copies: number[] = []
    for (const design of looks) {
      await put(manage(), { design })
      const sheet = await bytesOf(await fetch(`${server.url}/${link.code}/qr.pdf?sheet=a4&width_mm=60`))
      assert.match(sheet.toString('latin1'), /MediaBox\[0 0 595\.2756 841\.8898\]/)
      const found = await readWithZxing(await printPdf(sheet, 150))
      assert.deepEqual([...new Set(found.map(({ text }) => text))], [`${link.short_url}?qr=1`])
      copies.push(found.length)
    }
    // Three columns; a frame makes each copy taller than wide.
    assert.deepEqual(copies, [12, 9])
    const refused = await fetch(`${server.url}/${link.code}/qr.pdf?sheet=a4&width_mm=230`)
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /\/width_mm must be at most 1\d\d for a sheet of a4/)
  })

  test('has a smaller logo where the text leaves less room for it, so that visitors are not refused', async (t) => {
    const { url } = await startServer(t, { BASE_URL: 'https://qr.example.com', LIMIT_QR: '0' })
    const { token } = await create({ url }, { target: 'https://example.com/', alias: 'k7dw3nq' })
    const logo = { image: dataUri('png', pngFile(8, 8)), size: 0.27 }
    assert.equal((await put(`${url}/api/manage/${token}`, { design: { logo } })).status, 200)
    const data = 'HTTPS://QR.EXAMPLE.COM/K7DW3NQ.Q'
    assert.equal((await refusal(await design({ data, design: { logo } }))).pointer, '/design/logo/size')
    const compact = await fetch(`${url}/k7dw3nq/qr.png?compact=1`)
    assert.equal(compact.status, 200)
    assert.equal((await readWithZxing(await bytesOf(compact)))[0]?.text, data)
  })

  test('is refused as a whole when it is invalid or unreadable, and nothing changes', async () => {
    await put(manage(), { design: look })
    for (const [wrong, pointer] of [
      [{ shape: 'star' }, '/design/shape'],
      [{ logo: { image: 'https://example.com/a.png' } }, '/design/logo/image'],
      [{ gradient: { type: 'linear', from: '#fff', to: '#000' } }, '/design/gradient'],
    ] as const) {
      assert.equal((await refusal(await put(manage(), { design: wrong }))).pointer, pointer)
    }
    const pale = { eye_frame_color: '#e0e0e0', eye_ball_color: '#e0e0e0' }
    assert.equal(
      (await refusal(await put(manage(), { design: pale }), 'unscannable')).pointer,
      '/design/eye_frame_color',
    )
    assert.deepEqual((await details()).design, look)
  })

  test('is deleted with its link', async () => {
    const other = await create(server, { target: 'https://example.com/' })
    await put(`${server.url}/api/manage/${other.token}`, { design: look })
    await fetch(`${server.url}/api/manage/${other.token}`, { method: 'DELETE' })
    assert.equal((await fetch(other.qr_png)).status, 410)
    const rows = await server.services.db.read.selectFrom('designs').selectAll().execute()
    assert.equal(rows.length, 1)
  })
})

describe('a compact image', () => {
  test('encodes the URL in capitals in fewer modules; it has the same target and counts as a QR scan', async () => {
    await put(`${server.url}/api/manage/${link.token}`, { design: null })
    const read = async (query: string) => (await readWithZxing(await bytesOf(await fetch(link.qr_png + query))))[0]
    const [usual, compact] = [await read(''), await read('?compact=1')]
    assert.equal(compact?.text, `${link.short_url.toUpperCase()}.Q`)
    assert.ok(compact.version < (usual?.version ?? 0))
    // The second form is typed by hand.
    for (const path of [`${link.code.toUpperCase()}.Q`, `${link.code.toLowerCase()}.q`]) {
      const response = await visit(`${server.url}/${path}`)
      assert.deepEqual([response.status, response.headers.get('location')], [302, 'https://example.com/'], path)
    }
    const { totals } = (await (await fetch(`${server.url}/api/manage/${link.token}`)).json()) as {
      totals: { qr: number; link: number }
    }
    assert.deepEqual([totals.qr, totals.link], [2, 0])
    for (const marker of ['Q', 'q']) assert.equal((await visit(`${server.url}/unknown7.${marker}`)).status, 404)
  })
})

describe('bad input', () => {
  const wrong: [pointer: string, body: object][] = [
    ['/data', { data: '' }],
    ['/data', { data: 5 }],
    ['/data', { data: 'half a pair: \ud83d' }],
    ['/format', { format: 'gif' }],
    ['/size', { size: 0 }],
    ['/size', { size: 5000 }],
    ['/size', { size: 20 }],
    ['/size', { size: 1.5 }],
    ['/size', { size: '512' }],
    ['/width_mm', { width_mm: 1 }],
    ['/width_mm', { width_mm: 1e9 }],
    ['/dpi', { dpi: 0 }],
    ['/ecl', { ecl: 'X' }],
    ['/boost', { boost: 1 }],
    ['/design', { design: [] }],
    ['/design', { design: 'x' }],
    ['/design/shape', { design: { shape: 'star' } }],
    ['/design/eye_frame', { design: { eye_frame: 'diamond' } }],
    ['/design/eye_ball', { design: { eye_ball: 7 } }],
    ['/design/fg', { design: { fg: 'red' } }],
    ['/design/fg', { design: { fg: '#12345' } }],
    ['/design/fg', { design: { fg: '#fff' } }],
    ['/design/bg', { design: { bg: 'none' } }],
    ['/design/eye_ball_color', { design: { eye_ball_color: '#fefefe' } }],
    ['/design/eye_frame_color', { design: { eye_frame_color: '#11223344' } }],
    ['/design/gradient/type', { design: { gradient: { type: 'conic', from: '#000', to: '#111' } } }],
    ['/design/gradient/from', { design: { gradient: { type: 'linear', to: '#111' } } }],
    ['/design/gradient/angle', { design: { gradient: { type: 'linear', from: '#000', to: '#111', angle: 400 } } }],
    ['/design/gradient', { design: { gradient: { type: 'linear', from: '#000', to: '#fff' } } }],
    ['/design/margin', { design: { margin: 17 } }],
    ['/design/ecl', { design: { ecl: 'm' } }],
    ['/design/frame/text', { design: { frame: { text: '' } } }],
    ['/design/frame/text', { design: { frame: { text: 'x'.repeat(41) } } }],
    ['/design/frame/text', { design: { frame: { text: 'スキャン' } } }],
    ['/design/frame/text', { design: { frame: { text: 'a\nb' } } }],
    ['/design/frame/color', { design: { frame: { text: 'x', color: 'blue' } } }],
    ['/design/frame/text_color', { design: { frame: { text: 'x', color: '#fff', text_color: '#ffffff' } } }],
    ['/design/frame/text_color', { design: { fg: '#123', frame: { text: 'x', text_color: '#123' } } }],
    ['/design/logo/size', { design: { logo: { image: svgLogo, size: 0.9 } } }],
    ['/design/logo/knockout', { design: { logo: { image: svgLogo, knockout: 'yes' } } }],
    ['/design/logo/image', { design: { logo: {} } }],
  ]

  test('in a choice gets a 400 that names it', async () => {
    for (const [pointer, body] of wrong) {
      assert.equal((await refusal(await design(body))).pointer, pointer, JSON.stringify(body))
    }
  })

  test('of an unknown name, at any depth, gets a 400 that lists the known names', async () => {
    const unknown: [pointer: string, design: object, known: RegExp][] = [
      ['/design/nope', { nope: 1 }, /known are shape, .*, ecl$/],
      [
        '/design/frame/colour',
        { frame: { text: 'x', colour: '#000' } },
        /known are text, position, shape, color, text_color$/,
      ],
      ['/design/logo/url', { logo: { image: svgLogo, url: 'x' } }, /known are image, size, knockout$/],
      [
        '/design/gradient/a~1b~0c',
        { gradient: { type: 'linear', from: '#000', to: '#111', 'a/b~c': 1 } },
        /known are type, /,
      ],
    ]
    for (const [pointer, look, known] of unknown) {
      const response = await design({ design: look })
      const { errors } = (await response.json()) as { errors: { pointer: string; detail: string }[] }
      assert.deepEqual([response.status, errors.length, errors[0]?.pointer], [400, 1, pointer])
      assert.match(errors[0]?.detail ?? '', /^is not a field; known are /)
      assert.match(errors[0]?.detail ?? '', known)
    }
  })

  test("in a frame's text gets a 400 with the reason: a blank text, or an invisible character", async () => {
    for (const [text, word] of [
      ['   ', /must not be blank/],
      ['\u00a0', /must not be blank/],
      ['\u200b', /invisible character U\+200B/],
      ['Scan\u0007me', /invisible character U\+0007/],
      ['Scan \u202eme', /invisible character U\+202E/],
      ['\ud83d', /invisible character U\+D83D/],
    ] as const) {
      const { pointer, detail } = await refusal(await design({ design: { frame: { text } } }))
      assert.equal(pointer, '/design/frame/text')
      assert.match(detail, word)
    }
  })

  test('in the encoding of a URL gets a 400 that names the parameter', async () => {
    for (const data of ['%ED%A0%80', '%FF', '%E2%82']) {
      const { pointer, detail } = await refusal(await fetch(`${server.url}/api/qr?data=${data}`))
      assert.deepEqual([pointer, /Unicode/.test(detail)], ['/data', true], data)
    }
  })

  test('in a logo gets a 400 with the reason', async () => {
    for (const [name, image, word] of badLogos()) {
      const { pointer, detail } = await refusal(await design({ design: { logo: { image } } }))
      assert.equal(pointer, '/design/logo/image', name)
      assert.match(detail, word, name)
    }
  })

  test('sent 200 times takes bounded memory, and the service still draws', async (t) => {
    const service = await start(t, undefined, ['--limit-qr=0', '--limit-failures=0'])
    const residentMb = () => {
      const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
    }
    const send = (body: object) => post(`${service.url}/api/qr`, { data: DATA, ...body })
    // Waits until the threads have started.
    await Promise.all([1, 2, 3].map(async (margin) => (await send({ design: { margin } })).arrayBuffer()))
    const before = residentMb()
    const bodies = [
      ...badLogos().map(([, image]) => ({ design: { logo: { image } } })),
      ...wrong.map(([, body]) => body),
    ]
    for (let at = 0; at < 200; at++) {
      const response = await send(bodies[at % bodies.length] ?? {})
      assert.equal(response.status, 400)
      await response.arrayBuffer()
    }
    const after = residentMb()
    t.diagnostic(`${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`)
    assert.ok(after < before + 150, `${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`)
    const response = await send({ design: { shape: 'dots' } })
    assert.equal(response.status, 200)
    await response.arrayBuffer()
  })
})

test('an image is drawn as long as one of the clients that requested it waits', async () => {
  const started: { job: DesignJob; signal: AbortSignal | undefined; resolve: (image: DesignedImage) => void }[] = []
  const never = () => Promise.reject(new Error('not requested'))
  const images = createImages({
    draw: never,
    picture: never,
    render: (job, { signal } = {}) => new Promise((resolve) => started.push({ job, signal, resolve })),
    isFree: () => false,
    close: async () => undefined,
  })
  const job: DesignJob = { text: DATA, design: {}, at: '', format: 'svg', size: 300 }
  const clients = [new AbortController(), new AbortController()]
  for (const { signal } of clients) void images.designed(job, { signal }).catch(() => undefined)
  clients[0]?.abort()
  assert.deepEqual([started.length, started[0]?.signal?.aborted], [1, false])
  clients[1]?.abort()
  assert.equal(started[0]?.signal?.aborted, true)
  // A later request does not share the cancelled drawing.
  void images.designed(job)
  assert.deepEqual([started.length, started[1]?.signal?.aborted], [2, false])
})

describe('the threads that draw', () => {
  const patient = { ...patientThreads, maxWait: PATIENCE_MS }
  const job = (margin: number) => ({ text: DATA, design: { margin }, at: '/design', format: 'svg' as const, size: 300 })

  test('refuse jobs past their bound with 503 and Retry-After, and draw those that were accepted', async () => {
    const pool = createRenderPool({ ...patient, threads: 1, queue: 2 })
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map((margin) => pool.render(job(margin))))
    await pool.close()
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    )
    const [refused] = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
    assert.ok(refused instanceof Problem)
    assert.deepEqual([refused.status, Number(refused.headers['retry-after']) > 0], [503, true])
  })

  test('abort a job that takes too long, and continue with the next', async () => {
    const pool = createRenderPool({ threads: 1, queue: 2, timeout: 1 })
    const outcomes = await Promise.allSettled([pool.render(job(1)), pool.render(job(2))])
    await pool.close()
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Problem)
      assert.equal(outcome.reason.status, 503)
      assert.match(outcome.reason.message, /takes more than/)
    }
  })

  test('abort a job that takes too much CPU time with an error at its field, and continue with the next', async () => {
    const pool = createRenderPool({ ...patient, threads: 1, queue: 2, cpuTime: 1 })
    const logo = { image: dataUri('png', pngFile(8, 8)) }
    const outcomes = await Promise.allSettled([pool.render(job(1)), pool.render({ ...job(2), design: { logo } })])
    await pool.close()
    const pointers = outcomes.map((outcome) => {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Problem)
      assert.equal(outcome.reason.status, 400)
      assert.match(outcome.reason.message, /more than 0\.001 s of CPU time/)
      return outcome.reason.errors[0]?.pointer
    })
    assert.deepEqual(pointers, ['/size', '/design/logo/image'])
  })

  test('refuse a logo for which the renderer has not enough memory, at its field, and continue with the next', async () => {
    const pool = createRenderPool({ ...patient, threads: 1, queue: 3, rendererBytes: 16 * 2 ** 20 })
    const layers = `${'<g opacity=".9">'.repeat(8)}<rect width="8" height="8"/>${'</g>'.repeat(8)}`
    const file = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${layers}</svg>`
    const logo = { image: dataUri('svg+xml', Buffer.from(file)), size: 0.2 }
    const png = { ...job(4), design: { logo }, format: 'png' as const, size: 4096 }
    const outcomes = await Promise.allSettled([
      pool.render(png),
      pool.redraw({ ...png, isChecked: true }),
      pool.render(job(1)),
    ])
    await pool.close()
    for (const outcome of outcomes.slice(0, 2)) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Problem)
      assert.deepEqual([outcome.reason.status, outcome.reason.errors[0]?.pointer], [400, '/design/logo/image'])
      assert.match(outcome.reason.message, /takes too much memory/)
    }
    assert.equal(outcomes[2]?.status, 'fulfilled')
  })

  test('refuse a job that has waited for too long', async () => {
    const pool = createRenderPool({ ...patient, threads: 1, queue: 2, queueTimeout: 1 })
    const outcomes = await Promise.allSettled([pool.render(job(1)), pool.render(job(2))])
    await pool.close()
    assert.equal(outcomes[0]?.status, 'fulfilled')
    assert.ok(outcomes[1]?.status === 'rejected' && outcomes[1].reason instanceof Problem)
    assert.match(outcomes[1].reason.message, /too many images/)
  })

  test('drop a waiting job when its client disconnects, which frees its slot in the queue', async () => {
    const pool = createRenderPool({ ...patient, threads: 1, queue: 1 })
    const abort = new AbortController()
    const [first, second] = [pool.render(job(1)), pool.render(job(2), { signal: abort.signal })]
    abort.abort()
    await assert.rejects(second, /disconnected/)
    const third = pool.render(job(3))
    assert.deepEqual(
      (await Promise.allSettled([first, third])).map(({ status }) => status),
      ['fulfilled', 'fulfilled'],
    )
    await pool.close()
  })

  test('draw two very large images at a time: they take no more memory than others', async () => {
    const pool = createRenderPool({ ...patient, threads: 2, queue: 5 })
    const large = (margin: number) => pool.render({ ...job(margin), format: 'png', size: 3000 })
    const drawn = [large(1), large(2)]
    assert.equal(pool.queued(), 0)
    for (const { body } of await Promise.all(drawn)) assert.equal(Buffer.from(body).readUInt32BE(16), 3000)
    await pool.close()
  })

  test('stop with the service, which refuses the waiting jobs', async () => {
    const pool = createRenderPool({ ...patient, threads: 1, queue: 5 })
    const outcomes = [1, 2, 3].map((margin) => pool.render(job(margin)))
    const settled = Promise.allSettled(outcomes)
    await pool.close()
    for (const outcome of [...(await settled), ...(await Promise.allSettled([pool.render(job(4))]))]) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Problem)
      assert.match(outcome.reason.message, /is stopping/)
    }
  })
})

test('a PDF contains a raster logo with its opacity', async () => {
  const image = dataUri('png', pngFile(16, 16, [255, 0, 0, 128]))
  const pdf = await bytesOf(await design({ format: 'pdf', design: { logo: { image } } }))
  const streams = [...pdf.toString('latin1').matchAll(/<<([^>]*(?:<<[^>]*>>)?[^>]*)>>\nstream\n/g)]
  const pixelsOf = (mark: string) => {
    const found = streams.find(([all]) => all.includes(mark))
    assert.ok(found)
    const at = found.index + found[0].length
    const length = Number(/Length (\d+)/.exec(found[0])?.[1])
    return inflateSync(pdf.subarray(at, at + length))
  }
  assert.deepEqual([...pixelsOf('DeviceGray').subarray(0, 2)], [128, 128])
  assert.deepEqual([...pixelsOf('DeviceRGB').subarray(0, 3)], [255, 0, 0])
})

test('a logo in a PDF has at most 800 pixels on its longer side', async () => {
  for (const [width, height, pixels] of [
    [40, 20, /Width 800\/Height 400/],
    [5, 100, /Width 40\/Height 800/],
  ] as const) {
    const image = dataUri('png', pngFile(width, height))
    const pdf = await bytesOf(await design({ format: 'pdf', design: { logo: { image, size: 0.08 } } }))
    assert.match(pdf.toString('latin1'), pixels)
  }
})

describe('the owner designs the code on the page of the link', () => {
  const page = (token: string) => `${server.url}/m/${token}`
  const send = (token: string, fields: Record<string, string>) =>
    fetch(page(token), { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  const designOf = async (token: string) =>
    ((await (await fetch(`${server.url}/api/manage/${token}`)).json()) as { design: unknown }).design
  const chosen = {
    action: 'design',
    shape: 'dots',
    eye_frame: 'circle',
    eye_ball: 'circle',
    fg: '#14213d',
    bg: '#ffffff',
  }

  test('the choices are saved, shown again, and drawn in the image of the page', async () => {
    const { token, code } = await create(server, { target: 'https://example.com/' })
    const saved = await send(token, { ...chosen, frame_text: 'Scan me' })
    assert.deepEqual([saved.status, saved.headers.get('location')], [303, `/m/${token}?designed#design`])
    // White is the default background, so it is not stored as a choice.
    const { action: _, bg: __, ...look } = chosen
    assert.deepEqual(await designOf(token), { ...look, frame: { text: 'Scan me' } })
    const shown = await (await fetch(page(token))).text()
    assert.match(shown, /<input type="radio" name="shape" value="dots" checked/)
    assert.match(shown, /value="#14213d"/)
    assert.match(shown, new RegExp(`src="/${code}/qr\\.svg\\?v=2"`))
    assert.match(await (await fetch(`${server.url}/${code}/qr.svg?v=2`)).text(), /#14213d/)
  })

  test('a logo and a gradient that were set through the API stay, and "plain" removes the whole design', async () => {
    const { token } = await create(server, { target: 'https://example.com/' })
    const logo = { image: svgLogo, size: 0.1 }
    await put(`${server.url}/api/manage/${token}`, { design: { logo } })
    await send(token, { ...chosen, transparent: 'yes' })
    const design = (await designOf(token)) as { logo: object; bg: string }
    assert.deepEqual([design.logo, design.bg], [logo, 'transparent'])
    assert.equal((await send(token, { action: 'plain' })).status, 303)
    assert.equal(await designOf(token), null)
  })

  test('an unreadable design is refused with an error, and nothing is saved', async () => {
    const { token } = await create(server, { target: 'https://example.com/' })
    const refused = await send(token, { ...chosen, fg: '#fefefe' })
    assert.equal(refused.status, 400)
    const text = await refused.text()
    assert.match(text, /The colour has a contrast of/)
    assert.match(text, /Design not saved/)
    assert.equal(await designOf(token), null)
  })
})
