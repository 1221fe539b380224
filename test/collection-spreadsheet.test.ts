import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startWithLinks, type Changed } from './support/collections.ts'
import { create, post, put, type Created } from './support/server.ts'

const HEADER =
  'code,short_url,kind,title,campaign,target,active,utm_source,utm_medium,utm_campaign,utm_term,utm_content'

/** Links whose fields a spreadsheet could take for something else. */
const links = [
  { alias: 'Menu', target: 'https://example.com/menu?a=1;b,c', title: 'Menu; "today", 10,50 €', campaign: 'Spring' },
  { alias: '0012', target: 'https://example.com/12', title: '007', campaign: '1.50' },
  { alias: 'formula', target: 'https://example.com/f', title: '=1+1', campaign: '@all' },
  {
    alias: 'lines',
    target: 'https://example.com/l',
    title: 'One\n-two',
    utm: { utm_source: 'flyer', own_key: 'kept' },
  },
  { alias: 'quoted', target: 'https://example.com/q', title: "'=quoted", campaign: '20231224123456789' },
  { alias: 'card', kind: 'vcard', firstName: 'Zoë', lastName: 'Müller', title: 'Äpfel' },
]

async function startFilled(t: TestContext, env: Record<string, string> = {}) {
  const server = await startWithLinks(t, 0, env)
  const { token } = await server.collect({ name: 'Shop' })
  const add = (body: object): Promise<Created> => create(server, body, { 'quirl-collection': token })
  for (const link of links) await add(link)
  const download = async (query = '', of = token) => {
    const response = await fetch(server.api(of, `/links.csv${query}`))
    assert.equal(response.status, 200, await response.clone().text())
    // `text` would drop the mark.
    return Buffer.from(await response.arrayBuffer()).toString()
  }
  const upload = async (csv: string, query = '', status = 200, headers = {}): Promise<Changed> => {
    const response = await fetch(server.api(token, `/changes${query}`), {
      method: 'POST',
      body: csv,
      headers: { 'content-type': 'text/csv', ...headers },
    })
    const text = await response.text()
    assert.equal(response.status, status, text)
    return JSON.parse(text) as Changed
  }
  const detailsOf = async (code: string) =>
    (await (await fetch(server.api(token, `/links/${code}`))).json()) as Record<string, unknown>
  return { ...server, token, add, download, upload, detailsOf }
}

/** A table of cells, in which quoted cells have no line end but "\n". */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, cell = '', quoted, end] of csv
    .replace('\uFEFF', '')
    .matchAll(/((?:"((?:[^"]|"")*)")|[^,\r]*)(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? cell : quoted.replaceAll('""', '"'))
    if (end !== ',') rows.push([])
  }
  return rows.slice(0, -1)
}

/** How a German LibreOffice saves what it has read: with semicolons, each text quoted, without the mark, and numbers as it shows them. */
function savedByLibreOffice(rows: string[][]): string {
  const numbers: Record<string, string> = {
    '0012': '12',
    '007': '7',
    '1.50': '1,5',
    '20231224123456789': '2,02312241234568E+16',
  }
  const truths: Record<string, string> = { true: 'WAHR', false: 'FALSCH' }
  const saved = (cell: string) =>
    numbers[cell] ?? truths[cell] ?? (cell === '' ? '' : `"${cell.replaceAll('"', '""')}"`)
  return rows.map((row) => `${row.map(saved).join(';')}\r\n`).join('')
}

/** The row of a link; the order of the links is none. */
const rowIn = (rows: string[][], code: string): string[] => rows.find(([first]) => first === code) ?? []

const codesOf = ({ results }: Changed) => results.map(({ error, changed, valid }) => error?.code ?? changed ?? valid)

test('links.csv has each link as one row of what can be changed, with formulas guarded, and a campaign alone', async (t) => {
  const { download, url, token, api } = await startFilled(t)
  const csv = await download()
  assert.ok(csv.startsWith(`\uFEFF${HEADER}\r\n`))
  const rows = cellsOf(csv)
  const codes = rows.slice(1).map(([code]) => code)
  assert.deepEqual(codes.toSorted(), links.map(({ alias }) => alias).toSorted())
  assert.deepEqual(rowIn(rows, 'formula').slice(0, 7), [
    'formula',
    `${url}/formula`,
    'url',
    "'=1+1",
    "'@all",
    'https://example.com/f',
    'true',
  ])
  assert.equal(rowIn(rows, 'lines')[3], "One\n'-two")
  assert.equal(rowIn(rows, 'lines')[7], 'flyer')
  const spring = cellsOf(await download('?campaign=Spring')).slice(1)
  assert.deepEqual(
    spring.map(([code]) => code),
    ['Menu'],
  )
  const byHeader = await fetch(`${url}/api/collections/links.csv`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(Buffer.from(await byHeader.arrayBuffer()).toString(), csv)
  assert.match(byHeader.headers.get('content-disposition') ?? '', /links\.csv/)
  assert.equal((await fetch(api(`collection_${'A'.repeat(43)}`, '/links.csv'))).status, 404)
})

test('a file that comes back as it went out, or as a spreadsheet has saved it, changes nothing', async (t) => {
  const { download, upload, api, token } = await startFilled(t, { LIMIT_CHANGES: '1' })
  const csv = await download()
  const saved = savedByLibreOffice(cellsOf(csv))
  assert.match(saved, /^"code";"short_url"/)
  for (const file of [
    csv,
    saved,
    saved.replaceAll('WAHR', 'TRUE').replaceAll('\r\n', '\n'),
    csv.replaceAll("'=1", '=1'),
  ]) {
    const result = await upload(file)
    assert.deepEqual([result.changed, result.unchanged, result.failed], [0, links.length, 0], JSON.stringify(result))
  }
  const { results } = await upload(csv, '?dry_run=true')
  const menu = results.find(({ code }) => code === 'Menu')
  assert.deepEqual(menu, { index: menu?.index, valid: true, code: 'Menu', etag: '"1"', fields: [] })
  const list = await (await fetch(api(token, '/links'))).text()
  assert.equal(list.match(/"code"/g)?.length, links.length)
})

test('what a person has changed is changed, by row, and a preview names the fields; all else stays', async (t) => {
  const { download, upload, detailsOf } = await startFilled(t)
  const rows = cellsOf(await download())
  const [header = []] = rows
  const [menu, twelve, lines] = [rowIn(rows, 'Menu'), rowIn(rows, '0012'), rowIn(rows, 'lines')]
  const edited = [
    header,
    [...menu.slice(0, 3), '=SUM', '', 'https://example.com/new', 'false', ...menu.slice(7)],
    twelve,
    [...lines.slice(0, 7), '', 'poster', ...lines.slice(9)],
  ]
  const file = savedByLibreOffice(edited)
  const preview = await upload(file, '?dry_run=true')
  assert.deepEqual(
    preview.results.map(({ fields }) => fields),
    [['target', 'title', 'campaign', 'active'], [], ['utm']],
  )
  assert.equal((await detailsOf('Menu'))['active'], true)
  assert.deepEqual(codesOf(await upload(file)), [true, false, true])
  const { title, campaign, target, active } = await detailsOf('Menu')
  assert.deepEqual([title, campaign, target, active], ['=SUM', null, 'https://example.com/new', false])
  assert.deepEqual((await detailsOf('lines'))['utm'], { own_key: 'kept', utm_medium: 'poster' })
  assert.equal((await detailsOf('formula'))['title'], '=1+1')
  assert.deepEqual(codesOf(await upload(file)), [false, false, false])
})

test('columns that are left out change nothing, and those that cannot be changed are refused by row', async (t) => {
  const { upload, detailsOf, url } = await startFilled(t)
  const result = await upload(
    [
      'Code;Title;kind;short url;active;notes',
      `menu;New;url;${url}/Menu;;x`,
      `nothing;New;url;${url}/nothing;true;`,
      `formula;New;vcard;${url}/formula;perhaps;`,
      `lines;New;;${url}/card;true;`,
      `card;Name;VCARD;;FAUX;`,
      `CARD;Twice;;;0;`,
      `;New;;;1;`,
    ].join('\r\n'),
  )
  assert.deepEqual(result.ignored, ['/csv/notes'])
  assert.deepEqual(
    result.results.map(({ error, changed }) =>
      error ? [error.code, ...error.errors.map(({ pointer }) => pointer)] : changed,
    ),
    [
      ['invalid_request', '/active'],
      ['unknown_code'],
      ['invalid_request', '/kind', '/active'],
      ['invalid_request', '/code'],
      true,
      ['invalid_request', '/code'],
      ['invalid_request', '/code'],
    ],
  )
  const { title, active, firstName } = await detailsOf('card')
  assert.deepEqual([title, active, firstName], ['Name', false, (await detailsOf('card'))['firstName']])
})

test('a file without rows, without a code, with nothing to change or with too many rows is refused with the reason', async (t) => {
  const { upload } = await startFilled(t)
  for (const [csv, pattern] of [
    [HEADER, /must have 1 to 10000 rows, but has none/],
    ['', /header/],
    ['title,target\nx,https://example.com/', /names the column "code" and at least one of title/],
    ['code,short_url\nmenu,x', /at least one of title/],
    ['code,title,Title\nmenu,x,y', /twice/],
    [`code,title\n${'x,y\n'.repeat(10_001)}`, /must have 1 to 10000 rows, but has more than 10000/],
    ['code,title\nmenu,"x', /quote/],
  ] as const) {
    const { detail } = await upload(csv, '', 400)
    assert.match(detail ?? '', pattern)
  }
  const { detail } = await upload('code,title\nnothing,x', '', 400)
  assert.match(detail ?? '', /none of 1 rows; row 0: the collection has no link with this code/)
})

test('an unknown column is refused of who wants to be strict, and Windows letters are said to be guessed', async (t) => {
  const { upload, api, token, detailsOf } = await startFilled(t)
  await upload('code,title,notes\nmenu,x,y', '', 400, { prefer: 'handling=strict' })
  const response = await fetch(api(token, '/changes'), {
    method: 'POST',
    body: Buffer.from('code;title\nmenu;Karte für alle\n', 'latin1'),
    headers: { 'content-type': 'text/csv' },
  })
  assert.equal(((await response.json()) as Changed).warnings?.[0]?.code, 'windows_1252')
  assert.equal((await detailsOf('menu'))['title'], 'Karte für alle')
})

test('3,000 links go out and come back: only those that differ are changed and charged', async (t) => {
  const { token, url, download, upload, detailsOf } = await startFilled(t, { LIMIT_CHANGES: '640', LIMIT_BULK: '0' })
  for (let at = 0; at < 6; at++) {
    const rows = Array.from({ length: 500 }, (_, row) => ({
      target: 'https://example.com/',
      title: `Table ${at * 500 + row}`,
    }))
    assert.equal((await post(`${url}/api/bulk`, rows, { 'quirl-collection': token })).status, 201)
  }
  const csv = await download()
  assert.equal(cellsOf(csv).length, 1 + links.length + 3000)
  const some = csv.replaceAll(/Table (\d*7),/g, 'Place $1,')
  const first = await upload(some)
  assert.deepEqual([first.changed, first.unchanged, first.failed], [300, 2706, 0])
  const all = csv.replaceAll(/(?:Table|Place) (\d+),/g, 'Spot $1,')
  assert.match((await upload(all, '?atomic=true', 400)).detail ?? '', /at most 500 rows may differ .* but 3000 do/)
  const partly = await upload(all)
  assert.deepEqual([partly.changed, partly.failed], [300, 2700])
  assert.deepEqual(codesOf(partly).slice(-2), ['rate_limited', 'rate_limited'])
  assert.equal((await upload(all, '', 429)).code, 'rate_limited')
  assert.equal((await detailsOf('menu'))['title'], links[0]?.title)
})

test('an atomic file changes all rows or none', async (t) => {
  const { upload, detailsOf } = await startFilled(t)
  await upload('code,title\nmenu,New\nnothing,New', '?atomic=true', 400)
  assert.equal(
    (await upload('code,title,target\nmenu,New,\nformula,New,https://example.com/', '?atomic=true', 400)).failed,
    2,
  )
  assert.equal((await detailsOf('formula'))['title'], '=1+1')
  assert.equal((await upload('code,title\nmenu,New\nformula,New', '?atomic=true')).changed, 2)
})

test('a link of another collection is unknown, and one that was removed for abuse changes nothing when it does not differ', async (t) => {
  const server = await startFilled(t)
  await create(server, { alias: 'elsewhere', target: 'https://example.com/' })
  const result = await server.upload('code,title\nelsewhere,x\nmenu,New')
  assert.deepEqual(codesOf(result), ['unknown_code', true])
  await put(server.api(server.token, '/links/menu'), { active: false })
  assert.deepEqual(codesOf(await server.upload('code,active\nmenu,falsch\nformula,wahr')), [false, false])
})
