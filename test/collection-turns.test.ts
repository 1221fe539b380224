import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { post, put, skipUnlessOneNode, startServer, type TestServer } from './support/server.ts'

const LINKS = 1200

/** Starts a server with a collection of many links. */
async function start(t: TestContext, row: (at: number) => object, settings: Record<string, string> = {}) {
  const server = await startServer(t, { LIMIT_LINKS: '0', LIMIT_BULK: '0', ...settings })
  const collection = (await (await post(`${server.url}/api/collections`, {})).json()) as { token: string }
  for (let from = 0; from < LINKS; from += 400) {
    const rows = Array.from({ length: 400 }, (_, at) => ({ target: 'https://example.com/', ...row(from + at) }))
    const headers = { 'quirl-collection': collection.token }
    assert.equal((await post(`${server.url}/api/bulk`, rows, headers)).status, 201)
  }
  return { server, token: collection.token, path: `${server.url}/api/collections/${collection.token}` }
}

/** In which iteration of the event loop each call of a function began. */
function iterationsOf<Name extends string>(
  t: TestContext,
  object: Record<Name, (...args: never[]) => unknown>,
  name: Name,
): number[] {
  const iterations: number[] = []
  let iteration = 0
  let timer: NodeJS.Immediate
  const count = () => {
    iteration++
    timer = setImmediate(count)
  }
  count()
  t.after(() => clearImmediate(timer))
  const called = object[name]
  object[name] = (...args) => {
    iterations.push(iteration)
    return called(...args)
  }
  return iterations
}

const text = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers })
  assert.equal(response.status, 200)
  return response.text()
}

test(
  'a table of links that is read as fast as it is written lets the event loop run between its parts',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, path } = await start(t, () => ({}))
    const iterations = iterationsOf(t, server.services.collections, 'sheetAfter')
    assert.equal((await text(`${path}/links.csv`)).split('\r\n').length, LINKS + 2)
    assert.ok(iterations.length >= 5, String(iterations.length))
    assert.equal(new Set(iterations).size, iterations.length)
  },
)

test(
  'of all statistics, lists and overviews of collections, one part is read in an iteration of the event loop',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, path } = await start(t, () => ({}))
    const read = (['idsAfter', 'membersAfter'] as const).map((name) =>
      iterationsOf(t, server.services.collections, name),
    )
    await Promise.all([1, 2, 3, 4].map((days) => text(`${path}/stats?days=${days}`)))
    for (const iterations of read) {
      assert.ok(iterations.length >= 8, String(iterations.length))
      assert.equal(new Set(iterations).size, iterations.length)
    }
    for (const part of ['', '/links?q=nothing', '/links?sort=title', '/links?sort=scans']) {
      const turns = turnsOf(server)
      await text(path + part)
      assert.ok(turns() >= 4, `${part}: ${turns()}`)
    }
  },
)

test(
  'of all sheets of codes, one part of the links is read in an iteration of the event loop',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, token } = await start(t, () => ({}), { LIMIT_QR: '0' })
    const iterations = iterationsOf(t, server.services.collections, 'membersAfter')
    const turns = turnsOf(server)
    const print = (chosen: object) =>
      post(`${server.url}/api/print`, { collection: token, labels: 'avery-l7160', ...chosen })
    const answers = await Promise.all([1, 2, 3, 4].map(() => print({ campaign: 'none of them' })))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400])
    assert.equal((await print({ part: 2 })).status, 200)
    assert.equal(iterations.length, 6)
    assert.equal(new Set(iterations).size, iterations.length)
    // The 200 links of the second part are looked up and read 50 at a time, and their designs 20 at a time.
    assert.ok(turns() >= 6 + 4 + 4 + 10, String(turns()))
  },
)

test(
  'the names of four collections are in memory at once, however many wait for their statistics and overviews',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, path } = await start(t, () => ({}))
    const { collections } = server.services
    const { membersAfter } = collections
    const gate = Promise.withResolvers<void>()
    const reading: unknown[] = []
    collections.membersAfter = async (...args) => {
      reading.push(args)
      await gate.promise
      return membersAfter(...args)
    }
    const paths = ['', ...Array.from({ length: 11 }, (_, at) => `/stats?days=${at + 1}`)]
    const answers = Promise.all(paths.map((each) => text(path + each)))
    while (reading.length === 0) await setTimeout(20)
    await setTimeout(500)
    const most = reading.length
    gate.resolve()
    for (const answer of await answers) assert.equal((JSON.parse(answer) as { links: number }).links, LINKS)
    assert.ok(most <= 4, `${most} have begun to read names`)
  },
)

test(
  'statistics of collections whose names one network reads for long keep those of another network waiting for nothing',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, path } = await start(t, () => ({}), { TRUST_PROXY: '127.0.0.0/8,::1' })
    const other = (await (await post(`${server.url}/api/collections`, {})).json()) as { token: string }
    const headers = { 'quirl-collection': other.token }
    await post(`${server.url}/api/links`, { target: 'https://example.com/' }, headers)
    const { collections } = server.services
    const { membersAfter } = collections
    const gate = Promise.withResolvers<void>()
    const held: string[] = []
    collections.membersAfter = async (part, conditions) => {
      if (held.length === 0 || part.collectionId === held[0]) {
        held.push(part.collectionId)
        await gate.promise
      }
      return membersAfter(part, conditions)
    }
    const from = (network: string) => ({ 'x-forwarded-for': `${network}.1` })
    const days = Array.from({ length: 12 }, (_, at) => at + 1)
    const answers = Promise.all(days.map((day) => text(`${path}/stats?days=${day}`, from('192.0.2'))))
    while (held.length === 0) await setTimeout(20)
    await setTimeout(500)
    await text(`${server.url}/api/collections/${other.token}/stats`, from('198.51.100'))
    assert.ok(held.length <= 2, `${held.length} of one network have begun to read names`)
    gate.resolve()
    await answers
  },
)

test(
  'who sorts by titles that take long to compare waits for further turns within a part',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, path } = await start(t, (at) => ({ title: `Table ${at}` }))
    const turns = turnsOf(server)
    const now = performance.now.bind(performance)
    let late = 0
    // As if each comparison took a millisecond.
    t.mock.method(performance, 'now', () => now() + late++)
    await text(`${path}/links?sort=title&order=desc&limit=200`)
    assert.ok(turns() >= LINKS / 10, String(turns()))
  },
)

/** How often requests have waited for a turn from now on. */
function turnsOf({ services: { limits } }: TestServer): () => number {
  let turns = 0
  const { turnToRender } = limits
  limits.turnToRender = (request) => {
    turns++
    return turnToRender(request)
  }
  return () => turns
}

test('the page of a collection stays below a mebibyte, however long the names of its campaigns are', async (t) => {
  const campaign = (at: number) => '"'.repeat(196) + String(at).padStart(4, '0')
  const { server, token } = await start(t, (at) => ({ campaign: campaign(at) }))
  const last = encodeURIComponent(campaign(LINKS - 1))
  const page = await text(`${server.url}/c/${token}?campaign=${last}`)
  assert.ok(Buffer.byteLength(page) < 2 ** 20, String(Buffer.byteLength(page)))
  assert.ok(/<option value="[^"]*1199"\s+selected>/.test(page), 'the campaign of the list is chosen')
})

test('the image of a look and the page of its collection read no other design, and the designs of all are read in a turn', async (t) => {
  const server = await startServer(t)
  const { token } = (await (await post(`${server.url}/api/collections`, {})).json()) as { token: string }
  const api = `${server.url}/api/collections/${token}`
  assert.equal((await put(api, { looks: { blue: { fg: '#123456' }, red: { fg: '#800000' } } })).status, 200)
  const read = iterationsOf(t, server.services.collections, 'looksOf')
  const turns = turnsOf(server)
  assert.match(await text(`${server.url}/c/${token}/looks/red`), /#800000/)
  assert.equal((await fetch(`${server.url}/c/${token}/looks/green`)).status, 404)
  assert.equal(turns(), 2)
  assert.match(await text(`${server.url}/c/${token}`), /looks\/blue.*looks\/red/s)
  assert.deepEqual(read, [])

  const before = turns()
  const { looks } = JSON.parse(await text(api)) as { looks: object }
  assert.deepEqual(Object.keys(looks), ['blue', 'red'])
  // That of the overview, and that of the looks.
  assert.ok(turns() >= before + 2, `${turns() - before}`)
})
