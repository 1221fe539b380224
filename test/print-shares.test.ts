// What one stranger takes by printing: memory, the event loop, and look-ups.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { asHolder } from '../src/lib/holder.ts'
import { disconnected } from '../src/http/client-disconnect.ts'
import { Problem } from '../src/http/problem.ts'
import { rowsOf, type RowsNeeds } from '../src/print/rows.ts'
import { readAppearance } from '../src/qr/options.ts'
import { toRefusal } from '../src/qr/pool/job.ts'
import { createRenderPool } from '../src/qr/pool/pool.ts'
import { createSheetMemory } from '../src/qr/sheet-memory.ts'
import { createSheets, type LinkOnSheet } from '../src/qr/sheets.ts'
import { labelFormats } from '../src/qr/print/labels.ts'
import { PATIENCE_MS } from './support/poll.ts'
import { post, startServer, type Created, type TestServer } from './support/server.ts'

const format = labelFormats['avery-l7160']
assert.ok(format)
const how = {
  onto: { kind: 'labels', format, start: 1, offset: [0, 0] },
  style: 'plain',
  turn: async () => {},
} as const
const holderOf = (address: string) => ({ holder: asHolder(address) })
const kib = (length: number) => length * 1024

/** An SVG of a length in characters, which scans. */
function logoOf(length: number): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/>`
  const filled = `${svg}${' '.repeat(length)}</svg>`
  return `data:image/svg+xml;base64,${Buffer.from(filled).toString('base64')}`
}

async function linksWith(server: TestServer, count: number, length: number): Promise<LinkOnSheet[]> {
  const design = { logo: { image: logoOf(length), size: 0.1 } }
  const rows = Array.from({ length: count }, () => ({ target: 'https://example.com/', design }))
  const answer = await post(`${server.url}/api/bulk`, rows)
  assert.equal(answer.status, 201)
  const { results } = (await answer.json()) as { results: Created[] }
  const codes = results.map(({ code }) => code)
  const ids = await server.services.db.read.selectFrom('links').select('id').where('code', 'in', codes).execute()
  return ids.map(({ id }) => ({ linkId: id, text: 'https://example.com/', caption: '', address: '', name: String(id) }))
}

type Pool = Parameters<typeof createSheets>[0]['pool']

/** A pool that draws nothing, and tells of each job; a part takes a length in bytes. */
function emptyPool(tell: (job: string, codes: number) => void = () => {}, length = 1): Pool {
  return {
    async check({ texts }) {
      tell('check', texts.length)
      return { faults: texts.map(() => undefined) }
    },
    async sheetPart({ part }) {
      tell('part', part.length)
      return { body: new Uint8Array(length), faults: part.map(() => undefined) }
    },
    async sheet(job) {
      tell('sheet', 'parts' in job ? job.parts.length : Infinity)
      return { body: new Uint8Array(1) }
    },
  }
}

/** Links without a design. */
const plainLinks = (count: number): LinkOnSheet[] =>
  Array.from({ length: count }, (_, at) => ({
    linkId: at + 1,
    text: 'https://example.com/',
    caption: '',
    address: '',
    name: `link-${at}`,
  }))

/** Checks that wait for a thread until they are let go on, or their client leaves. */
function patientPool() {
  const { promise: turn, resolve: letGo } = Promise.withResolvers<void>()
  let waiting = 0
  const pool: Pool = {
    ...emptyPool(),
    async check({ texts }, { signal } = {}) {
      waiting++
      const left = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      await Promise.race([turn, left])
      return { faults: texts.map(() => undefined) }
    },
  }
  return { pool, letGo, waiting: () => waiting }
}

/** Waits until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

test('sheets that wait share the memory of their designs: the network with most gives way, and gets 503', async (t) => {
  const server = await startServer(t)
  const [first, second] = [await linksWith(server, 2, kib(30)), await linksWith(server, 2, kib(10))]
  const { pool, letGo, waiting } = patientPool()
  const sheets = createSheets({ db: server.services.db, pool, memory: createSheetMemory(kib(80)) })
  const older = sheets.draw(first, how, holderOf('192.0.2.1'))
  await until(() => waiting() === 1)
  const refused = sheets.draw(first, how, holderOf('192.0.2.2'))
  await assert.rejects(refused, { code: 'unavailable', message: /too many sheets with large designs/ })
  const smaller = sheets.draw(second, how, holderOf('198.51.100.1'))
  await until(() => waiting() === 2)
  letGo()
  assert.equal((await older).length, 1)
  assert.equal((await smaller).length, 1)
  assert.equal((await sheets.draw(first, how, holderOf('192.0.2.2'))).length, 1)
})

test('a sheet that waits is given up with 503 when a smaller holder needs its memory', async (t) => {
  const server = await startServer(t)
  const [large, small] = [await linksWith(server, 2, kib(30)), await linksWith(server, 2, kib(10))]
  const { pool, letGo, waiting } = patientPool()
  const sheets = createSheets({ db: server.services.db, pool, memory: createSheetMemory(kib(60)) })
  const given = sheets.draw(large, how, holderOf('192.0.2.1'))
  given.catch(() => undefined)
  await until(() => waiting() === 1)
  const served = sheets.draw(small, how, holderOf('198.51.100.1'))
  await assert.rejects(given, { code: 'unavailable', message: /too many sheets with large designs/ })
  letGo()
  assert.equal((await served).length, 1)
})

test('a request whose client leaves ends at its next check', async (t) => {
  const server = await startServer(t)
  const links = await linksWith(server, 2, kib(1))
  let checks = 0
  const client = new AbortController()
  const pool: Pool = {
    async check({ texts }, { signal } = {}) {
      if (signal?.aborted === true) throw new Problem('unavailable', 'the client has disconnected')
      checks++
      client.abort(disconnected())
      return { faults: texts.map(() => undefined) }
    },
    sheetPart: () => Promise.reject(new Error('nothing is drawn for nobody')),
    sheet: () => Promise.reject(new Error('nothing is drawn for nobody')),
  }
  const many = Array.from({ length: 100 }, () => links).flat()
  const sheets = createSheets({ db: server.services.db, pool })
  await assert.rejects(sheets.draw(many, how, { signal: client.signal }), { code: 'unavailable' })
  assert.equal(checks, 1)
})

test('the logo of each design is drawn by its first check, after which others have their turn, and counts as memory', async (t) => {
  const server = await startServer(t)
  const links = [...(await linksWith(server, 2, 10)), ...(await linksWith(server, 1, 20))]
  const logo = {
    width: 1,
    height: 1,
    ratio: 1,
    space: 'DeviceGray',
    colors: new Uint8Array(kib(30)),
    opacities: new Uint8Array(kib(10)),
  } as const
  const wanted: [wantsLogo: boolean | undefined, codes: number][] = []
  const given: unknown[] = []
  const pool: Pool = {
    ...emptyPool(),
    async check({ texts, wantsLogo }) {
      wanted.push([wantsLogo, texts.length])
      return { faults: texts.map(() => undefined), ...(wantsLogo === true && { logo }) }
    },
    async sheet(job) {
      if ('logos' in job) given.push(...job.logos)
      return { body: new Uint8Array(1) }
    },
  }
  const many = [...Array.from({ length: 15 }, () => links.slice(0, 2)).flat(), ...links.slice(2)]
  const drawIn = (memory: number) =>
    createSheets({ db: server.services.db, pool, memory: createSheetMemory(memory) }).draw(many, how, holderOf('a'))
  await drawIn(kib(160))
  const checks = [
    [true, 25],
    [false, 5],
    [true, 1],
  ]
  assert.deepEqual([wanted, given], [checks, [logo, logo]])
  await assert.rejects(drawIn(kib(100)), { code: 'unavailable', message: /too many sheets with large designs/ })
  assert.equal(given.length, 2)
})

test('a sheet is drawn in parts of 25 codes at most, and its last job only puts them together', async (t) => {
  const server = await startServer(t)
  const jobs: [job: string, codes: number][] = []
  const sheets = createSheets({ db: server.services.db, pool: emptyPool((...job) => jobs.push(job)) })
  await sheets.draw(plainLinks(60), how, holderOf('192.0.2.1'))
  const drawn = [
    ['part', 25],
    ['part', 25],
    ['part', 10],
    ['sheet', 3],
  ]
  assert.deepEqual(jobs, drawn)
})

test('an image that another network asks for while a sheet is drawn is drawn before the rest of it', async (t) => {
  const server = await startServer(t)
  const patience = { maxWait: PATIENCE_MS, queueTimeout: PATIENCE_MS, timeout: PATIENCE_MS, cpuTime: PATIENCE_MS }
  const pool = createRenderPool({ ...patience, threads: 1 })
  t.after(() => pool.close())
  const order: string[] = []
  let image: Promise<unknown> | undefined
  const plain = { text: 'quirl', appearance: readAppearance({}, 'png'), options: { level: 'M' } } as const
  const onBegin = () => {
    image ??= Promise.resolve()
      .then(() => pool.draw(plain, holderOf('198.51.100.1')))
      .then(() => order.push('image'))
  }
  const sheets = createSheets({ db: server.services.db, pool })
  await sheets.draw(plainLinks(60), how, { ...holderOf('192.0.2.1'), onBegin }).then(() => order.push('sheet'))
  await image
  assert.deepEqual(order, ['image', 'sheet'])
})

test('what is drawn of a sheet counts as memory until all of it is put together', async (t) => {
  const server = await startServer(t)
  const pool = emptyPool(undefined, kib(30))
  const memory = createSheetMemory(kib(200))
  const sheets = createSheets({ db: server.services.db, pool, memory })
  const refused = sheets.draw(plainLinks(60), how, holderOf('192.0.2.1'))
  await assert.rejects(refused, { code: 'unavailable', message: /too many sheets with large designs/ })
  assert.equal((await sheets.draw(plainLinks(25), how, holderOf('192.0.2.1'))).length, 1)
})

test('a sheet is given up with 503 before its connection counts as stalled, whatever it waits for', async (t) => {
  const server = await startServer(t)
  const links = [...(await linksWith(server, 1, 10)), ...plainLinks(100).map((link) => ({ ...link, linkId: -1 }))]
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let jobs = 0
  const slow = emptyPool(() => {
    jobs++
    t.mock.timers.tick(11_000)
  })
  const never: Pool = { ...emptyPool(), sheet: () => new Promise(() => t.mock.timers.tick(27_000)) }
  const late = { code: 'unavailable', message: /take too long to check and draw now/, headers: { 'retry-after': '30' } }
  const draw = (pool: Pool, more = {}) =>
    createSheets({ db: server.services.db, pool }).draw(links, { ...how, ...more }, holderOf('192.0.2.1'))
  await assert.rejects(draw(slow), late)
  assert.equal(jobs, 3)
  await assert.rejects(draw(never), late)
  await assert.rejects(draw(slow, { receivedAt: performance.now() - 17_000 }), late)
  assert.equal(jobs, 4)
})

test('each code that does not fit is named, in whichever part of a sheet it is', async (t) => {
  const server = await startServer(t)
  const errorOf = (name: string) => ({ pointer: '/labels', detail: `of ${name}: is too small` })
  const faultOf = (name: string) => toRefusal(new Problem('text_too_long', 'it is', { errors: [errorOf(name)] }))
  const misfits = ['link-3', 'link-58']
  const pool: Pool = {
    ...emptyPool(),
    async sheetPart({ part }) {
      const faults = part.map(({ name }) => (misfits.includes(name) ? faultOf(name) : undefined))
      return { body: new Uint8Array(1), faults }
    },
  }
  const drawn = createSheets({ db: server.services.db, pool }).draw(plainLinks(60), how, holderOf('192.0.2.1'))
  await assert.rejects(drawn, { code: 'text_too_long', errors: misfits.map(errorOf) })
})

test('a calibration page is drawn once for each paper and language, whoever asks for it', async (t) => {
  const server = await startServer(t)
  const drawn: unknown[] = []
  const pool: Pool = {
    ...emptyPool(),
    sheet: async ({ onto }) => ({ body: new Uint8Array([drawn.push(onto)]) }),
  }
  const sheets = createSheets({ db: server.services.db, pool })
  const ask = (paper: 'a4' | 'letter', language: 'en' | 'de', client: string) =>
    sheets.calibration({ paper, language }, holderOf(client))
  const first = await ask('a4', 'en', '192.0.2.1')
  assert.deepEqual(await ask('a4', 'en', '198.51.100.1'), first)
  assert.equal(drawn.length, 1)
  assert.deepEqual([...(await ask('a4', 'de', '192.0.2.1')), ...(await ask('letter', 'en', '192.0.2.1'))], [2, 3])
})

test('each different design of a sheet is charged before the first is drawn', async (t) => {
  const server = await startServer(t)
  const links = [...(await linksWith(server, 3, 10)), ...(await linksWith(server, 2, 20))]
  const { pool, waiting } = patientPool()
  const refused = new Problem('rate_limited', 'the quota is used up')
  let charged = 0
  const chargeDesigns = (count: number) => ((charged = count), Promise.reject(refused))
  const sheets = createSheets({ db: server.services.db, pool })
  await assert.rejects(sheets.draw(links, { ...how, chargeDesigns }, holderOf('192.0.2.1')), refused)
  assert.deepEqual([charged, waiting()], [2, 0])
})

test('the same large design of many links is read in several turns', async (t) => {
  const server = await startServer(t)
  const links = await linksWith(server, 24, kib(100))
  const { pool, letGo } = patientPool()
  letGo()
  let turns = 0
  const turn = async () => void turns++
  await createSheets({ db: server.services.db, pool }).draw(links, { ...how, turn }, holderOf('192.0.2.1'))
  // A statement reads half a mebibyte.
  assert.ok(turns >= links.length / 4, `${turns} turns for ${links.length} links`)
})

test('nothing is looked up for a client whose quota is used up', async () => {
  const refused = new Problem('rate_limited', 'the quota is used up')
  const lookUp = () => Promise.reject(new Error('looked up'))
  const needs: RowsNeeds = {
    db: {} as RowsNeeds['db'],
    links: { findManyByToken: lookUp },
    collections: { find: lookUp, membersAfter: lookUp },
    linkOf: lookUp,
    turn: lookUp,
  }
  const charges = { charge: () => Promise.reject(refused), chargeNotFound: async () => undefined }
  for (const named of [{ links: ['x'.repeat(43)] }, { collection: 'x' }])
    await assert.rejects(rowsOf(needs, { ...named, labels: 'avery-l7160' }, charges), refused)
})

test('a print of a link with places reads no more of them than may be printed', async (t: TestContext) => {
  const server = await startServer(t)
  const placements = Array.from({ length: 100 }, (_, at) => ({ id: `room-${at}` }))
  const rows = Array.from({ length: 11 }, () => ({ target: 'https://example.com/', placements }))
  const { results } = (await (await post(`${server.url}/api/bulk`, rows)).json()) as { results: Created[] }
  const body = { labels: 'avery-l7651', text: 'none', placements: true }
  const answer = await post(`${server.url}/api/print`, { ...body, links: results.map(({ token }) => token) })
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /are more codes than the 1,000 codes of one request/)
  const foreign = await post(`${server.url}/api/print`, { ...body, links: results.map(({ code }) => code) })
  assert.match(await foreign.text(), /must be the token of the link/)
})
