import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { downloadZip } from 'client-zip'
import { formats } from '../src/cli/import/formats.ts'
import { readExport } from '../src/cli/import/read-file.ts'
import { readRows } from '../src/cli/owner/bulk.ts'
import { decodeText, type Encoding } from '../src/tables/decode.ts'
import { namesOf, type FieldName } from '../src/tables/link-columns.ts'
import { toLinkBody, type LinkRow } from '../src/tables/records.ts'
import { readCsv } from '../src/links/bulk/csv-rows.ts'
import { bulkTexts } from '../src/texts/bulk.ts'
import { bodyOf } from '../src/web/bulk/rows.ts'
import { readList, type Upload } from '../src/web/bulk/upload.ts'
import { gridRows, readTable } from '../src/web/client/bulk/read-table.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { fc } from './support/fast-check.ts'

// Every reader of tables, of the same bytes: the API, the page with and without its script, `quirl bulk`, `quirl import`.

const end = endOfFile()
const folder = temporaryFolder(end)
const fixtures = new URL('fixtures/tables/', import.meta.url)
const texts = bulkTexts.en
const file = join(folder, 'table')

const loadWorkbooks = () => import('../src/tables/xlsx/workbook.ts')
const isWorkbook = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b

/** The bodies of creations that each reader makes of a table; workbooks are read in the browser and by commands. */
async function readAll(bytes: Uint8Array): Promise<Record<string, unknown[]>> {
  writeFileSync(file, bytes)
  const table = await readTable(bytes, texts.problems, loadWorkbooks)
  assert.ok(typeof table !== 'string', JSON.stringify(table))
  const grid = gridRows(table, texts.faults)
  assert.deepEqual(
    grid.flatMap(({ fault }) => fault?.text ?? []),
    [],
  )
  const island = grid.map(({ cells }) => bodyOf(cells))
  const command = (await readRows(file)).rows.map(toLinkBody)
  if (isWorkbook(bytes)) return { island, command }
  const { text, encoding } = decodeText(bytes)
  const form = await readList(uploadOf(text, encoding), texts)
  return { island, command, form: form.rows.map(bodyOf), api: await readCsv(text, '', () => {}) }
}

/** What the form of the page sends with a list. */
function uploadOf(text: string, encoding: Upload['encoding'] = 'utf-8'): Upload {
  const together = { isChosen: false, name: '', token: undefined }
  return { text, encoding, fault: undefined, action: 'check', creationKey: undefined, key: '', together }
}

interface Drawn {
  header: string[]
  rows: string[][]
  delimiter: string
  quoting: 'all' | 'minimal'
  lineEnd: string
  encoding: Encoding | 'utf-8 with a mark' | 'xlsx'
  isTold: boolean
  /** Columns without a name, and whether empty cells at the end of a row are written. */
  nameless: number
  isShort: boolean
}

const windows1252 = 'äöüßéàçñ€„“–’ÄÖÜ'
const letters = fc.constantFrom(...Array.from(`abc =+-@'",;|\t\n${windows1252}`))
const others = fc.constantFrom('東', '京', 'Ж', 'ע', '😀', '\u2028')
const phrase = (unit: fc.Arbitrary<string>) => fc.array(unit, { maxLength: 12 }).map((parts) => parts.join(''))
const target = fc
  .array(fc.constantFrom('/', ';a=1', ',2', '|', '@48.1,11.5', '?q=', '%C3%A9', 'x'), { maxLength: 5 })
  .map((parts) => `https://example.com/${parts.join('')}`)

const textFields = ['title', 'campaign', 'utm_source', 'utm_content'] as const
const written = (name: FieldName) =>
  fc
    .tuple(fc.constantFrom(...namesOf(name)), fc.constantFrom('', ' ', '_'), fc.boolean())
    .map(([plain, blank, isUpper]) =>
      `${plain[0]}${blank}${plain.slice(1)}`.replace(/^./, (c) => (isUpper ? c.toUpperCase() : c)),
    )

const tables: fc.Arbitrary<{ drawn: Drawn; expected: LinkRow[] }> = fc
  .record({
    encoding: fc.constantFrom<Drawn['encoding']>(
      'utf-8',
      'utf-8 with a mark',
      'utf-16le',
      'utf-16be',
      'windows-1252',
      'xlsx',
    ),
    fields: fc.subarray([...textFields]),
    hasAlias: fc.boolean(),
  })
  .chain(({ encoding, fields, hasAlias }) => {
    const text = phrase(encoding === 'windows-1252' ? letters : fc.oneof(letters, others))
    const names: FieldName[] = ['target', ...(hasAlias ? (['alias'] as const) : []), ...fields]
    const valueOf = (name: FieldName) =>
      name === 'target' ? target : name === 'alias' ? fc.stringMatching(/^[a-z]{1,4}$/) : text
    return fc.record({
      encoding: fc.constant(encoding),
      order: fc.shuffledSubarray(names, { minLength: names.length }),
      headers: fc.tuple(...names.map(written)),
      values: fc.array(fc.tuple(...names.map(valueOf)), { minLength: 1, maxLength: 4 }),
      names: fc.constant(names),
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      quoting: fc.constantFrom<Drawn['quoting']>('all', 'minimal'),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      isTold: fc.boolean(),
      nameless: fc.nat(3),
      isShort: fc.boolean(),
    })
  })
  .map(({ order, headers, values, names, ...rest }) => {
    const at = order.map((name) => names.indexOf(name))
    const drawn = {
      ...rest,
      header: at.map((i) => headers[i] ?? ''),
      rows: values.map((row) => at.map((i) => row[i] ?? '')),
    }
    const expected = values.map((row) =>
      Object.fromEntries(names.flatMap((name, i) => (row[i] === '' ? [] : [[name, row[i]]]))),
    )
    return { drawn, expected }
  })

function quote(cell: string, { delimiter, quoting }: Drawn): string {
  const isNeeded = quoting === 'all' || cell.includes(delimiter) || /["\r\n]/.test(cell)
  return isNeeded ? `"${cell.replaceAll('"', '""')}"` : cell
}

async function write(drawn: Drawn): Promise<Uint8Array> {
  const { header, rows, delimiter, lineEnd, encoding, isTold, nameless, isShort } = drawn
  const wide = [header, ...rows].map((row) => [...row, ...Array.from({ length: nameless }, () => '')])
  if (encoding === 'xlsx') return writeWorkbook(wide)
  const shortened = wide.map((row, at) =>
    isShort && at > 0 ? row.slice(0, row.findLastIndex((cell) => cell !== '') + 1) : row,
  )
  const lines = shortened.map((row) => row.map((cell) => quote(cell, drawn)).join(delimiter))
  const text = [...(isTold ? [`sep=${delimiter}`] : []), ...lines, ''].join(lineEnd)
  return encode(text, encoding)
}

function encode(text: string, encoding: Exclude<Drawn['encoding'], 'xlsx'>): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-8 with a mark') return Buffer.from(`\uFEFF${text}`)
  if (encoding === 'utf-16le') return Buffer.from(`\uFEFF${text}`, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
  const all = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, at) => at))
  return Uint8Array.from(Array.from(text, (letter) => all.indexOf(letter)))
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '_x000D_')

async function writeWorkbook(rows: string[][]): Promise<Uint8Array> {
  const cells = (row: string[]) =>
    row.map((cell) => `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`).join('')
  return zip({
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.map((row) => `<row>${cells(row)}</row>`).join('')}</sheetData></worksheet>`,
  })
}

const relation = (type: string, target: string) =>
  `<Relationships><Relationship Id="r1" Type="http://x/${type}" Target="${target}"/></Relationships>`

/** A workbook whose parts are stored without compression. */
async function zip(parts: Record<string, string>): Promise<Uint8Array> {
  const all = {
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
    ...parts,
  }
  const files = Object.entries(all).map(([name, input]) => ({ name, input }))
  return new Uint8Array(await downloadZip(files).arrayBuffer())
}

/** Whether the encoding can be told: what Windows-1252 writes for “é–’” is a letter of UTF-8, too. */
function isPlain({ encoding }: Drawn, bytes: Uint8Array): boolean {
  return encoding !== 'windows-1252' || bytes.every((byte) => byte < 0x80) || !isUtf8(bytes)
}

const asBodies = (rows: LinkRow[]) => rows.map(toLinkBody)

test('all readers get the same rows of a table in any encoding, with any delimiter, quotes and shape, and no text changes', async () => {
  await fc.assert(
    fc.asyncProperty(tables, async ({ drawn, expected }) => {
      const bytes = await write(drawn)
      fc.pre(isPlain(drawn, bytes))
      for (const [reader, bodies] of Object.entries(await readAll(bytes))) {
        const ownBlanks = reader === 'island' || reader === 'form'
        const rows = ownBlanks ? expected.map(withoutBlank) : expected
        assert.deepEqual(bodies, asBodies(rows), reader)
      }
    }),
    { numRuns: 150 },
  )
})

/** The page does not send a field that has only blanks. */
function withoutBlank(row: LinkRow): LinkRow {
  return Object.fromEntries(Object.entries(row).filter(([, cell]) => cell.trim() !== ''))
}

test('an import gets the same codes, destinations and titles', async () => {
  await fc.assert(
    fc.asyncProperty(tables, async ({ drawn, expected }) => {
      fc.pre(expected.every(({ alias }) => alias !== undefined))
      const bytes = await write(drawn)
      fc.pre(isPlain(drawn, bytes))
      writeFileSync(file, bytes)
      const { links } = await readExport(file, formats['csv'] ?? assert.fail())
      assert.deepEqual(
        links.map(({ alias, target, title }) => ({ alias, target, title: title ?? '' })),
        expected.map(({ alias, target, title = '' }) => ({ alias, target, title: title.trim() })),
      )
    }),
    { numRuns: 80 },
  )
})

const fixture = (name: string) => readFileSync(new URL(name, fixtures))

/** What `links.fods` has. */
const ofLibreOffice: LinkRow[] = [
  {
    target: 'https://example.com/page;jsessionid=1?a=1,2',
    title: 'Käse „Zum Löwen“',
    campaign: 'Größe, Preis',
    alias: 'ta',
  },
  {
    target: 'https://www.google.com/maps/@48.137,11.575,17z',
    title: '5" Rohr; "gut"',
    campaign: 'Zeile 1\nZeile 2',
    alias: 'tb',
  },
  { target: 'https://example.com/a|b', title: 'Zürich – 7 €', alias: 'tc' },
  { target: 'https://example.com/d' },
]

for (const name of [
  'links-comma-utf8.csv',
  'links-semicolon-windows-1252.csv',
  'links-tab-utf-16.csv',
  'links-bar-quoted.csv',
  'links.xlsx',
])
  test(`all readers get the same rows of ${name}, as LibreOffice writes it`, async () => {
    for (const [reader, bodies] of Object.entries(await readAll(fixture(name))))
      assert.deepEqual(bodies, asBodies(ofLibreOffice), reader)
  })

test('a table that is read as Windows-1252 is said to be, by the page and the commands', async () => {
  const bytes = fixture('links-semicolon-windows-1252.csv')
  writeFileSync(file, bytes)
  assert.match((await readRows(file)).notes.join(), /read as Windows-1252/)
  const { text, encoding } = decodeText(bytes)
  const { notes } = await readList(uploadOf(text, encoding), texts)
  assert.deepEqual(notes, [texts.notes.windows1252])
  const table = await readTable(bytes, texts.problems, loadWorkbooks)
  assert.ok(typeof table !== 'string' && table.encoding === 'windows-1252')
  writeFileSync(file, Buffer.from('code;target;title\nwin-a;https://example.com/1;Caf\xe9\n', 'latin1'))
  const { links, notes: said } = await readExport(file, formats['csv'] ?? assert.fail())
  assert.equal(links[0]?.title, 'Café')
  assert.match(said.join(), /read as Windows-1252/)
})

test('numbers of a workbook are decimals, dates are ISO 8601, and a formula has the value that the file keeps', async () => {
  writeFileSync(file, fixture('values.xlsx'))
  const { links } = await readExport(file, formats['csv'] ?? assert.fail())
  assert.deepEqual(
    links.map(({ place, alias, title, created_at: created, clicks }) => [place, alias, title, created, clicks]),
    [
      ['row 2', '2026', '0.1', '2024-02-29T00:00:00.000Z', 12_345_678_901],
      ['row 3', 'xb', '4052', '2024-05-01T10:30:00.000Z', 0],
    ],
  )
})

test('an error, and a formula without a value, is refused by its cell', async () => {
  writeFileSync(file, fixture('error.xlsx'))
  await assert.rejects(readExport(file, formats['csv'] ?? assert.fail()), /column 3 \(C\) of line 3 has an error/)
  const row = '<row r="7"><c r="A7" t="inlineStr"><is><t>https://example.com/</t></is></c><c r="B7"><f>A1</f></c></row>'
  const head = '<row r="1"><c t="inlineStr"><is><t>url</t></is></c><c t="inlineStr"><is><t>title</t></is></c></row>'
  const bytes = await zip({ 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${head}${row}</sheetData></worksheet>` })
  writeFileSync(file, bytes)
  await assert.rejects(readRows(file), /column 2 \(B\) of line 7 has a formula without a value/)
  const table = await readTable(bytes, texts.problems, loadWorkbooks)
  assert.ok(typeof table !== 'string')
  const [{ state, fault } = assert.fail()] = gridRows(table, texts.faults)
  assert.deepEqual([state, fault?.text.slice(0, 23)], ['faulty', 'Cell B7 has a formula w'])
})

const tooLong = 'x'.repeat(33 * 2 ** 20)
const manyRows = '<row><c><v>1</v></c></row>'.repeat(10_002)
for (const [what, parts, message] of [
  ['unpacks to more than 32 MiB', { 'xl/worksheets/sheet1.xml': tooLong }, /more than 32 MiB unpacked/],
  [
    'has more than 10,000 rows',
    { 'xl/worksheets/sheet1.xml': `<w><sheetData>${manyRows}</sheetData></w>` },
    /10,000 rows/,
  ],
  ['declares entities', { 'xl/worksheets/sheet1.xml': '<!DOCTYPE w [<!ENTITY a "b">]><w>&a;</w>' }, /is damaged/],
  [
    'has text in the columns after the 256th',
    { 'xl/worksheets/sheet1.xml': '<w><row><c r="IW1"><v>1</v></c></row></w>' },
    /column 256/,
  ],
  [
    'has elements a hundred deep',
    { 'xl/worksheets/sheet1.xml': `<w>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</w>` },
    /is damaged/,
  ],
  [
    'has a cell longer than Excel has them',
    { 'xl/worksheets/sheet1.xml': `<w><row><c t="str"><v>${'x'.repeat(32_768)}</v></c></row></w>` },
    /32,767 characters/,
  ],
  ['has no sheet', {}, /has no sheet/],
] as const)
  test(`a workbook that ${what} is refused`, async () => {
    const { readWorkbook } = await loadWorkbooks()
    await assert.rejects(readWorkbook(await zip(parts)), message)
  })

test('a workbook with any byte changed is refused, or has the same rows', async () => {
  const { readWorkbook } = await loadWorkbooks()
  const bytes = fixture('links.xlsx')
  const whole = await readWorkbook(bytes)
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const damaged = Uint8Array.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ mask
      const read = await readWorkbook(damaged).catch((error: Error) => error)
      if (read instanceof Error) assert.equal(read.name, 'TableError', String(read.stack))
      else assert.deepEqual(read, whole)
    }),
    { numRuns: 300 },
  )
})

test('what the format of a workbook packs is counted while it is unpacked, whatever its directory says', async () => {
  const { readWorkbook } = await loadWorkbooks()
  const bytes = Buffer.from(await zip({ 'xl/worksheets/sheet1.xml': '<w></w>' }))
  // The directory says that the sheet, the last file, has fewer bytes than it has.
  const entry = bytes.lastIndexOf('PK\u0001\u0002', bytes.length, 'latin1')
  bytes.writeUInt32LE(3, entry + 24)
  await assert.rejects(readWorkbook(bytes), /is damaged/)
})

test('a file of an old Excel, and an archive that is no workbook, are refused with what to do', async () => {
  const old = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)
  assert.equal(await readTable(old, texts.problems, loadWorkbooks), texts.problems.office_file)
  writeFileSync(file, old)
  await assert.rejects(readRows(file), /save it as \.xlsx or CSV/)
  const archive = new Uint8Array(await downloadZip([{ name: 'content.xml', input: '<a/>' }]).arrayBuffer())
  assert.equal(await readTable(archive, texts.problems, loadWorkbooks), texts.problems.office_file)
})

for (const [what, csv, text] of [
  ['beyond the header', 'target,title\nhttps://example.com/a,b,c\n', 'c'],
  ['in a column without a name', 'target,,title\nhttps://example.com/a,c,b\n', 'c'],
] as const)
  test(`text ${what} is refused by its line and column, and the destination before it is not used`, async () => {
    const at = csv.startsWith('target,,') ? 2 : 3
    const [row] = await readCsv(csv, '', () => {})
    assert.match((row as Error).message, new RegExp(`^column ${at} \\([BC]\\) of line 2 has the text "${text}"`))
    writeFileSync(file, csv)
    await assert.rejects(readRows(file), new RegExp(`column ${at} \\([BC]\\) of line 2`))
    await assert.rejects(readList(uploadOf(csv), texts), /Line 2 has the text “c” in column/)
    const table = await readTable(csv, texts.problems, loadWorkbooks)
    assert.ok(typeof table !== 'string')
    assert.equal(gridRows(table, texts.faults)[0]?.state, 'faulty')
  })

test('addresses without a header are read whole', async () => {
  const list =
    'https://www.google.com/maps/@48.137,11.575,17z\nhttps://example.com/page;jsessionid=1\nhttps://example.com/a|b\n'
  const rows = list.trim().split('\n')
  const { rows: form } = await readList(uploadOf(list), texts)
  const table = await readTable(list, texts.problems, loadWorkbooks)
  assert.ok(typeof table !== 'string')
  assert.deepEqual(
    [form, gridRows(table, texts.faults).map(({ cells }) => cells)],
    [rows.map((target) => ({ target })), rows.map((target) => ({ target }))],
  )
})

test('of two columns for one field, the one whose name says more has it', async () => {
  const csv = 'link,long_url,title\nhttps://bit.ly/a,https://example.com/,T\n'
  let unknown: string[] = []
  assert.deepEqual(await readCsv(csv, '', (names) => (unknown = names)), [
    { target: 'https://example.com/', title: 'T' },
  ])
  assert.deepEqual(unknown, ['link'])
})
