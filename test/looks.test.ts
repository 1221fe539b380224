import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { MAX_LOOKS, MAX_LOOKS_LENGTH } from '../src/collections/bounds.ts'
import { MAX_DESIGNS } from '../src/links/check-designs.ts'
import { dataUri, svgLogo } from './support/logos.ts'
import { details, manage, post, put, startServer, type Created, type TestServer } from './support/server.ts'

interface Row extends Created {
  index: number
  changed?: boolean
  valid?: true
  error?: { code: string; detail: string; errors: { pointer: string; detail: string }[] }
}
interface Results {
  created: number
  changed: number
  failed: number
  results: Row[]
}

const target = 'https://example.com/menu'
const BLUE = { fg: '#123456', shape: 'dots' }
const RED = { fg: '#800000', frame: { text: 'Scan me' } }
/** Its corners are too light. */
const PALE = { eye_frame_color: '#ddd', eye_ball_color: '#ddd' }
/** A wide logo, which hides too much of the code of a link with nine characters, and not of one with seven or twenty. */
const WIDE = {
  logo: {
    image: dataUri(
      'svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 8"><path d="M0 0h24v8H0z"/></svg>',
    ),
    size: 0.15,
  },
}
const NINE = 'nine-char'

async function startWithLooks(t: TestContext, looks: object, env: Record<string, string> = {}) {
  const server = await startServer(t, env)
  const created = await post(`${server.url}/api/collections`, {})
  const { token } = (await created.json()) as { token: string }
  const api = `${server.url}/api/collections/${token}`
  const saved = await put(api, { looks })
  assert.equal(saved.status, 200, await saved.text())
  return { ...server, token, api, inCollection: { 'quirl-collection': token } }
}

async function read<T>(response: Response, status: number): Promise<T> {
  const text = await response.text()
  assert.equal(response.status, status, text)
  return JSON.parse(text) as T
}

const looksOf = async (api: string) => ((await (await fetch(api)).json()) as { looks: object }).looks
const designOf = async (server: Pick<TestServer, 'url'>, link: Created) => (await details(server, link))['design']
const faultOf = ({ error }: Row) => error && [error.code, ...error.errors.map(({ pointer }) => pointer)]
async function problemOf(response: Response) {
  const { code, errors = [] } = (await response.json()) as { code: string; errors?: { pointer: string }[] }
  return [response.status, code, ...errors.map(({ pointer }) => pointer)]
}
const rowsOf = async (response: Response, status = 201) => (await read<Results>(response, status)).results

test('looks are merged by their names, null removes one, and they end with their collection', async (t) => {
  const { api, services } = await startWithLooks(t, { blue: BLUE, 'Rot groß': RED })
  assert.deepEqual(await looksOf(api), { 'Rot groß': RED, blue: BLUE })
  const answer = await read<{ name: string; looks: object }>(
    await put(api, { name: 'Summer', looks: { blue: { fg: '#000080' }, wide: WIDE, 'Rot groß': null, absent: null } }),
    200,
  )
  assert.deepEqual([answer.name, answer.looks], ['Summer', { blue: { fg: '#000080' }, wide: WIDE }])
  assert.deepEqual(await looksOf(api), answer.looks)
  await put(api, { name: null })
  assert.deepEqual(await looksOf(api), answer.looks)
  await fetch(api, { method: 'DELETE' })
  assert.deepEqual(await services.db.read.selectFrom('looks').selectAll().execute(), [])
})

test('a look that is wrong is refused by its name and field, and none of its request is saved', async (t) => {
  const { api } = await startWithLooks(t, { blue: BLUE })
  const refuse = async (looks: unknown, ...expected: string[]) =>
    assert.deepEqual(await problemOf(await put(api, { name: 'x', looks })), [400, ...expected])
  await refuse([], 'invalid_request', '/looks')
  await refuse(
    { red: RED, '': BLUE, ' red': BLUE, 'a/b': BLUE, ['x'.repeat(41)]: BLUE, red2: 'red' },
    'invalid_request',
    '/looks/',
    '/looks/ red',
    '/looks/a~1b',
    `/looks/${'x'.repeat(41)}`,
    '/looks/red2',
  )
  await refuse(
    { red: RED, green: { fg: 'green', colour: 'green' } },
    'invalid_request',
    '/looks/green/colour',
    '/looks/green/fg',
  )
  await refuse({ red: RED, green: { look: 'blue' } }, 'invalid_request', '/looks/green/look')
  await refuse({ red: RED, pale: PALE }, 'unscannable', '/looks/pale/eye_frame_color')
  const many = Object.fromEntries(Array.from({ length: MAX_LOOKS }, (_, at) => [`look ${at}`, BLUE]))
  await refuse(many, 'invalid_request', '/looks')
  const { name, looks } = await read<{ name: string | null; looks: object }>(await fetch(api), 200)
  assert.deepEqual([name, looks], [null, { blue: BLUE }])
  assert.equal((await put(api, { looks: { ...many, blue: null } })).status, 200)
})

test('the looks of a collection are bounded together', async (t) => {
  const { api } = await startWithLooks(t, { blue: BLUE })
  const padding = ' '.repeat(240 * 1024)
  const large = (color: string) => ({
    logo: {
      image: dataUri(
        'svg+xml',
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${padding}<path fill="${color}" d="M0 0h8v8H0z"/></svg>`,
      ),
    },
  })
  const fits = Math.floor(MAX_LOOKS_LENGTH / JSON.stringify(large('#123')).length)
  for (let at = 0; at < fits; at++)
    assert.equal((await put(api, { looks: { [`large ${at}`]: large(`#12${at}`) } })).status, 200)
  assert.deepEqual(await problemOf(await put(api, { looks: { more: large('#abc') } })), [
    400,
    'invalid_request',
    '/looks',
  ])
  assert.equal((await put(api, { looks: { 'large 0': null, more: large('#abc') } })).status, 200)
})

test('a link is created with a design or a look, which its details show, and which later changes of the look leave', async (t) => {
  const { api, inCollection, ...server } = await startWithLooks(t, { blue: BLUE })
  const create = async (body: object, headers = {}) =>
    read<Created & { design?: object }>(await post(`${server.url}/api/links`, { target, ...body }, headers), 201)
  const plain = await create({}, inCollection)
  const none = await create({ design: null })
  const own = await create({ design: RED })
  const look = await create({ design: { look: 'blue' } }, inCollection)
  const named = await create({ design: { look: 'blue' }, alias: 'Menu' }, inCollection)
  assert.deepEqual(
    [plain, none, own, look, named].map(({ design }) => design),
    [undefined, undefined, RED, BLUE, BLUE],
  )
  assert.equal(named.code, 'Menu')
  const designs = () => Promise.all([plain, none, own, look, named].map((link) => designOf(server, link)))
  assert.deepEqual(await designs(), [null, null, RED, BLUE, BLUE])
  const image = await fetch(look.qr_svg)
  assert.match(await image.text(), /#123456/i)
  await put(api, { looks: { blue: RED } })
  assert.deepEqual(await designs(), [null, null, RED, BLUE, BLUE])
})

test('rows of bulk name looks and designs, in JSON and in CSV', async (t) => {
  const { inCollection, ...server } = await startWithLooks(t, { blue: BLUE, 'Rot groß': RED })
  const designs = [{ look: 'blue' }, RED, null, undefined, { look: 'blue' }]
  const rows = designs.map((design, at) => ({ target, ...(at === 4 && { alias: 'menu' }), design }))
  const created = await rowsOf(await post(`${server.url}/api/bulk`, rows, inCollection))
  const found = await Promise.all(created.map((link) => designOf(server, link)))
  assert.deepEqual(found, [BLUE, RED, null, null, BLUE])
  assert.ok(created.every((row) => !('design' in row)))

  const csv = `target,Look,alias\n${target},blue,\n${target},Rot groß,card\n${target},,\n${target},grün,\n`
  const headers = { ...inCollection, 'content-type': 'text/csv', prefer: 'handling=strict', accept: 'text/csv' }
  const response = await fetch(`${server.url}/api/bulk`, { method: 'POST', headers, body: csv })
  const [header, ...lines] = (await response.text()).trim().split('\r\n')
  assert.equal(header, 'index,alias,target,title,campaign,look,code,short_url,qr_png,qr_svg,manage_url,token,error')
  const cells = lines.map((line) => line.split(','))
  assert.deepEqual(
    cells.map(([index, , , , , look, code]) => [index, look, code !== '']),
    [
      ['0', 'blue', true],
      ['1', 'Rot groß', true],
      ['2', '', true],
      ['3', 'grün', false],
    ],
  )
  assert.match(lines[3] ?? '', /design\/look is the name of no look of the collection/)
  const tokens = cells.slice(0, 3).map((line) => ({ token: line[11] }) as Created)
  assert.deepEqual(await Promise.all(tokens.map((link) => designOf(server, link))), [BLUE, RED, null])
})

test('a look needs a collection, and its name needs a look', async (t) => {
  const { inCollection, token: collection, ...server } = await startWithLooks(t, { blue: BLUE })
  const link = await read<Created>(await post(`${server.url}/api/links`, { target }, inCollection), 201)
  const ways = {
    create: (design: unknown, headers: object) => post(`${server.url}/api/links`, { target, design }, { ...headers }),
    change: (design: unknown, headers: object) => put(manage(server, link), { design }, { ...headers }),
  }
  const rows = {
    bulk: (design: unknown, headers: object) =>
      post(`${server.url}/api/bulk`, [{ target }, { target, design }], { ...headers }),
    changes: (design: unknown, headers: object) =>
      post(`${server.url}/api/manage`, { changes: [{ token: link.token, design }] }, { ...headers }),
  }
  const cases: [unknown, object, ...string[]][] = [
    [{ look: 'blue' }, {}, '/design/look'],
    [{ look: 'green' }, inCollection, '/design/look'],
    [{ look: 7 }, inCollection, '/design/look'],
    [{ look: 'blue', fg: '#000' }, inCollection, '/design/fg'],
    ['blue', inCollection, '/design'],
  ]
  const unknown = { 'quirl-collection': `collection_${'x'.repeat(43)}` }
  for (const [name, send] of Object.entries(ways)) {
    for (const [design, headers, ...pointers] of cases)
      assert.deepEqual(await problemOf(await send(design, headers)), [400, 'invalid_request', ...pointers], name)
    assert.deepEqual(await problemOf(await send({ look: 'blue' }, unknown)), [404, 'collection_not_found'], name)
  }
  for (const [name, send] of Object.entries(rows)) {
    for (const [design, headers, ...pointers] of cases) {
      const { results } = (await (await send(design, headers)).json()) as Results
      assert.deepEqual(faultOf(results.at(-1) as Row), ['invalid_request', ...pointers], name)
    }
    assert.deepEqual(await problemOf(await send({ look: 'blue' }, unknown)), [404, 'collection_not_found'], name)
  }
  assert.equal(await designOf(server, link), null)
  // The token of the path is the collection's.
  const through = `${server.url}/api/collections/${collection}/links/${link.code}`
  const { design } = await read<{ design: object }>(await put(through, { design: { look: 'blue' } }, unknown), 200)
  assert.deepEqual(design, BLUE)
})

test('rows of a change name looks and designs; the history has what they replace, and a revert brings it back', async (t) => {
  const { inCollection, ...server } = await startWithLooks(t, { blue: BLUE })
  const links = await rowsOf(
    await post(
      `${server.url}/api/bulk`,
      [{ target }, { target, design: RED }, { target, design: RED }, { target }],
      inCollection,
    ),
  )
  const [first, second, third, fourth] = links as [Row, Row, Row, Row]
  const change = (changes: object[], query = '') => post(`${server.url}/api/manage${query}`, { changes }, inCollection)
  const designs = () => Promise.all(links.map((link) => designOf(server, link)))
  const changes = [
    { token: first.token, design: { look: 'blue' }, title: 'Blue' },
    { token: second.token, design: null },
    { token: third.token, design: RED },
    { token: fourth.token, title: 'Plain' },
  ]
  await read(await change(changes, '?dry_run=true'), 200)
  assert.deepEqual(await designs(), [null, RED, RED, null])
  const rows = await rowsOf(await change(changes), 200)
  assert.deepEqual(
    rows.map(({ changed }) => changed),
    [true, true, false, true],
  )
  assert.deepEqual(await designs(), [BLUE, null, RED, null])
  await rowsOf(await change([{ token: first.token, design: RED }]), 200)
  await read(await post(manage(server, first, '/revert'), { revision: 2 }), 200)
  await read(await post(manage(server, second, '/revert'), { revision: 1 }), 200)
  assert.deepEqual(await designs(), [BLUE, RED, RED, null])
})

test('each code is checked: one that cannot be scanned with a design fails alone, or with all others when atomic', async (t) => {
  const { inCollection, ...server } = await startWithLooks(t, { wide: WIDE })
  const rows = [
    { target },
    { target, alias: NINE },
    { target, alias: 'a-code-of-twenty-chr' },
    { target, alias: 'plain' },
  ].map((row, at) => ({ ...row, ...(at < 3 && { design: { look: 'wide' } }) }))
  const send = (query = '') => post(`${server.url}/api/bulk${query}`, rows, inCollection)
  const faults = (results: Row[]) => results.map(faultOf)
  const expected = [undefined, ['invalid_request', '/design/logo/size'], undefined, undefined]
  assert.deepEqual(faults(await rowsOf(await send('?dry_run=true'), 200)), expected)
  const atomic = await rowsOf(await send('?atomic=true'), 400)
  assert.deepEqual(faults(atomic)[1], expected[1])
  const created = await rowsOf(await send())
  assert.deepEqual(faults(created), expected)
  const alone = await post(`${server.url}/api/links`, rows[1], inCollection)
  assert.deepEqual(await problemOf(alone), [400, 'invalid_request', '/design/logo/size'])

  const link = await read<Row>(await post(`${server.url}/api/links`, { target, alias: NINE }), 201)
  const changes = [...created.filter(({ token }) => token), link].map(({ token }) => ({ token, design: WIDE }))
  const change = (query: string) => post(`${server.url}/api/manage${query}`, { changes })
  assert.equal((await change('?atomic=true')).status, 400)
  assert.deepEqual(faults(await rowsOf(await change(''), 200)), [undefined, undefined, undefined, expected[1]])
})

test('a design that no code can have is the error of each of its rows, with the field that is to change', async (t) => {
  const server = await startServer(t)
  const rows = [{ target, design: PALE }, { target }, { target, design: PALE }, { target, design: { fg: 'blue' } }]
  const results = await rowsOf(await post(`${server.url}/api/bulk`, [...rows, { target, design: BLUE }]))
  const pale = ['unscannable', '/design/eye_frame_color']
  assert.deepEqual(results.map(faultOf), [pale, undefined, pale, ['invalid_request', '/design/fg'], undefined])
})

test('a request has at most 20 different designs; those of looks are not counted', async (t) => {
  const { inCollection, ...server } = await startWithLooks(t, { blue: BLUE })
  const row = (at: number) => ({ target, design: { fg: `#0000${(0x10 + at).toString(16)}`, shape: 'dots' } })
  const rows = Array.from({ length: MAX_DESIGNS }, (_, at) => row(at))
  const more = [...rows, row(0), { target, design: { look: 'blue' } }]
  assert.equal((await rowsOf(await post(`${server.url}/api/bulk`, more, inCollection))).filter(faultOf).length, 0)
  const tooMany = await post(`${server.url}/api/bulk`, [...rows, row(MAX_DESIGNS)])
  const { detail } = await read<{ detail: string }>(tooMany, 400)
  assert.match(detail, /at most 20 different designs/)
})

test('checks are charged as images before any is made, ten codes as one; a retry gets the same response, and is not charged', async (t) => {
  const { inCollection, services, ...server } = await startWithLooks(t, { blue: BLUE }, { LIMIT_QR: '6' })
  const remaining = (response: Response) => /"qr";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]
  const rows = Array.from({ length: 25 }, () => ({ target, design: { look: 'blue' } }))
  const key = { ...inCollection, 'idempotency-key': 'a-key-of-16-characters' }
  const first = await post(`${server.url}/api/bulk`, rows, key)
  assert.equal(remaining(first), '2', 'the look itself was one, and the codes are three')
  const created = await read<Results>(first, 201)
  const again = await post(`${server.url}/api/bulk`, rows, key)
  assert.equal(remaining(again), undefined)
  assert.deepEqual(await read(again, 201), created)
  assert.deepEqual(await problemOf(await post(`${server.url}/api/bulk`, rows, inCollection)), [429, 'rate_limited'])
  const { count } = await services.db.read
    .selectFrom('designs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(count, 25)
  const unchanged = await put(`${server.url}/api/collections/${inCollection['quirl-collection']}`, {
    looks: { blue: BLUE },
  })
  assert.equal(remaining(unchanged), undefined, 'a look that the collection has is not drawn again')
})

test('a creation with a design that is repeated with its key returns the same response', async (t) => {
  const server = await startServer(t)
  const key = { 'idempotency-key': 'a-key-of-16-characters' }
  const body = { target, design: { logo: { image: svgLogo } } }
  const first = await read(await post(`${server.url}/api/links`, body, key), 201)
  assert.deepEqual(await read(await post(`${server.url}/api/links`, body, key), 201), first)
})
