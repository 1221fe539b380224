import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { printPdf } from './support/decoders.ts'
import { requireProgram } from './support/programs.ts'
import { create, put, startServer, type Created, type TestServer } from './support/server.ts'
import { missedOf } from './support/three-decoders.ts'

const end = endOfFile()
let server: TestServer
let link: Created
before(async () => {
  server = await startServer(end, { BASE_URL: 'https://qr.example.com' })
  link = await create(server, { target: 'https://example.com/' })
})

const printOf = (query: Record<string, string>, code = link.code) =>
  fetch(`${server.url}/${code}/print.pdf?${new URLSearchParams(query).toString()}`)
const pdfOf = async (...options: Parameters<typeof printOf>) => {
  const answer = await printOf(...options)
  assert.equal(answer.status, 200, await answer.clone().text())
  return Buffer.from(await answer.arrayBuffer())
}

/** The pixels of a printed page, from netpbm's graymap of poppler. */
async function printed(pdf: Buffer, dpi: number) {
  const file = await printPdf(pdf, dpi)
  const [head = '', width = '', height = ''] = /^P5\s(\d+) (\d+)\s255\s/.exec(file.toString('latin1', 0, 40)) ?? []
  const pixels = file.subarray(head.length)
  const size = { width: Number(width), height: Number(height) }
  return { file, ...size, isDark: (x: number, y: number) => (pixels[y * size.width + x] ?? 0) < 128 }
}

/** The number of bands of ink, from top to bottom, that blank ones of a given height part. */
function bandsOf({ width, height, isDark }: Awaited<ReturnType<typeof printed>>, blank: number): number {
  let [bands, empty] = [0, blank]
  for (let y = 0; y < height; y++) {
    const isInked = Array.from({ length: width }, (_, x) => isDark(x, y)).includes(true)
    if (isInked && empty >= blank) bands++
    empty = isInked ? 0 : empty + 1
  }
  return bands
}

test('a page to print is A4 or Letter with title, code and address, and decoders read its code', async (t) => {
  if (!requireProgram(t, 'pdftoppm', 'poppler-utils') || !requireProgram(t, 'zbarimg', 'zbar-tools')) return
  const sizes = { a4: '595.2756 841.8898', letter: '612 792' }
  const look = { shape: 'dots', fg: '#9b2226', frame: { text: 'Scan me' } }
  for (const design of [null, look]) {
    await put(`${server.url}/api/manage/${link.token}`, { design })
    for (const paper of ['a4', 'letter'] as const) {
      const pdf = await pdfOf({ paper, title: 'Speisekarte' })
      assert.ok(pdf.includes(`MediaBox[0 0 ${sizes[paper]}]`), paper)
      const page = await printed(pdf, 100)
      const picture = { name: paper, text: `https://qr.example.com/${link.code}?qr=1`, file: page.file }
      assert.deepEqual(await missedOf([picture], ['zbarimg', 'zxing-wasm']), [])
      // 5 mm, which are more than the quiet zone between a code and its frame.
      assert.equal(bandsOf(page, 20), 3, 'title, code and address')
      assert.equal(bandsOf(await printed(await pdfOf({ paper }), 100), 20), 2, 'code and address')
    }
  }
})

test('a page to print leaves its edge empty, whatever title and address are', async (t) => {
  if (!requireProgram(t, 'pdftoppm', 'poppler-utils')) return
  const { code } = await create(server, { target: 'https://example.com/', alias: `print-${'W'.repeat(58)}` })
  const dpi = 40
  const edge = Math.floor((19 / 25.4) * dpi)
  const titles = ['i', 'W'.repeat(120), 'Wochenkarte '.repeat(16), 'a b '.repeat(50), 'Čau Ζωή Меню', 'Cafe\u0301']
  for (const title of titles) {
    const { width, height, isDark } = await printed(await pdfOf({ title }, code), dpi)
    const dark = Array.from({ length: width * height }, (_, at) => [at % width, Math.floor(at / width)] as const)
    const beyond = ([x, y]: readonly [number, number]) =>
      x < edge || y < edge || x >= width - edge || y >= height - edge
    assert.deepEqual(
      dark.filter((point) => beyond(point) && isDark(...point)),
      [],
      title,
    )
  }
})

test('a page to print is refused with the reason, and is not there for a code that does not exist', async () => {
  for (const [query, pointer, words] of [
    [{ title: '😀' }, '/title', /the fonts of the page lack: 😀/],
    [{ title: 'a\u0007b' }, '/title', /invisible character/],
    [{ title: 'x'.repeat(201) }, '/title', /at most 200/],
    [{ paper: 'a0' }, '/paper', /a4/],
  ] as const) {
    const answer = await printOf(query)
    const { errors } = (await answer.json()) as { errors: { pointer: string; detail: string }[] }
    assert.deepEqual([answer.status, errors[0]?.pointer], [400, pointer])
    assert.match(errors[0]?.detail ?? '', words)
  }
  assert.equal((await printOf({}, 'nothing-here')).status, 404)
})
