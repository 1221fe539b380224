import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openFeeds, type ListStatus } from '../src/abuse/feeds.ts'
import { openListFiles } from '../src/abuse/list-files.ts'
import { parseList } from '../src/abuse/open.ts'
import { command } from './support/cli.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { startListServer, type ListServer } from './support/list-server.ts'
import { exitOf, start } from './support/program.ts'
import { post, startServer, type TestServer } from './support/server.ts'
import { valueOf } from './support/metrics.ts'

const BAD = 'https://bad.example/'
const ten = (name: string) => Array.from({ length: 10 }, (_, at) => `${name}${at}.example`).join('\n')

/** Refreshes every list, and returns their states. */
async function refresh(server: TestServer, accept = false): Promise<ListStatus[]> {
  const answer = (await server.services.abuse.operations['lists']?.({ refresh: true, accept })) as {
    lists: ListStatus[]
  }
  return answer.lists
}

async function isBlocked(server: Pick<TestServer, 'url'>, target: string): Promise<boolean> {
  const { status } = await post(`${server.url}/api/links`, { target })
  assert.ok(status === 201 || status === 422, String(status))
  return status === 422
}

/** Starts a service with one published list, which has been loaded. */
async function startWithList(t: TestContext, body: string): Promise<[TestServer, ListServer]> {
  const publisher = await startListServer(t)
  publisher.publish('/hosts', body)
  const server = await startServer(t, { ABUSE_FEEDS: publisher.url('/hosts') })
  await refresh(server)
  return [server, publisher]
}

const readyz = async ({ url }: Pick<TestServer, 'url'>) => {
  const response = await fetch(`${url}/readyz`)
  return [response.status, await response.text()] as const
}

test('the service is not ready until every list has been loaded once, and names the missing one with the reason', async (t) => {
  const publisher = await startListServer(t)
  publisher.publish('/good', 'bad.example\n')
  publisher.answer('/late', (_, response) => response.writeHead(503).end())
  const server = await startServer(t, { ABUSE_FEEDS: [publisher.url('/good'), publisher.url('/late')].join() })
  await refresh(server)
  const metric = (name: string) => valueOf(server.services.metrics, name)
  assert.deepEqual([metric('quirl_abuse_list_entries'), metric('quirl_abuse_lists_failing')], [1, 1])
  const [status, body] = await readyz(server)
  assert.equal(status, 503)
  assert.match(body, /the list 127\.0\.0\.1:\d+\/late has not been loaded yet: it answered 503/)
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  publisher.publish('/late', 'worse.example\n')
  await refresh(server)
  assert.equal((await readyz(server))[0], 200)
  assert.ok((await isBlocked(server, BAD)) && (await isBlocked(server, 'https://worse.example/')))
})

test('without lists the service is ready and nothing is blocked', async (t) => {
  const server = await startServer(t)
  assert.deepEqual([(await readyz(server))[0], await isBlocked(server, BAD)], [200, false])
})

test('a list is requested with its validators, and not sent again while it is unchanged', async (t) => {
  const publisher = await startListServer(t)
  publisher.publish('/by-tag', 'bad.example\n', { etag: 'W/"1"' })
  publisher.publish('/by-date', 'worse.example\n', { 'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT' })
  const server = await startServer(t, { ABUSE_FEEDS: [publisher.url('/by-tag'), publisher.url('/by-date')].join() })
  await refresh(server)
  const before = publisher.statuses('/by-tag').length
  const lists = await refresh(server)
  assert.deepEqual([publisher.statuses('/by-tag').at(-1), publisher.statuses('/by-date').at(-1)], [304, 304])
  assert.equal(publisher.statuses('/by-tag').length, before + 1)
  assert.deepEqual(
    lists.map(({ entries, fault }) => [entries, fault]),
    [
      [1, null],
      [1, null],
    ],
  )
  publisher.publish('/by-tag', 'bad.example\nnew.example\n', { etag: 'W/"2"' })
  await refresh(server)
  assert.ok(await isBlocked(server, 'https://new.example/'))
})

/** The ways in which the refresh of a list can fail. */
const failures: { name: string; fault: RegExp; break: (publisher: ListServer) => void }[] = [
  {
    name: 'fails',
    fault: /it answered 500/,
    break: ({ answer }) => answer('/hosts', (_, response) => response.writeHead(500).end('bad.example')),
  },
  {
    name: 'is gone',
    fault: /it answered 404/,
    break: ({ answer }) => answer('/hosts', (_, response) => response.writeHead(404).end()),
  },
  {
    name: 'cannot be reached',
    fault: /fetch failed: .*ECONNREFUSED/,
    break: ({ close }) => void close(),
  },
  {
    name: 'is truncated',
    fault: /terminated|other side closed/,
    break: ({ answer }) =>
      answer('/hosts', (_, response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('bad0.example\n')
        setImmediate(() => response.destroy())
      }),
  },
  {
    name: 'is a page',
    fault: /it is not a list of hosts or URLs \(3 of 4 lines are neither, the first is line 1\)/,
    break: ({ publish }) => publish('/hosts', '<!doctype html>\n<p>Please log in</p>\nexample.com\n</html>'),
  },
  { name: 'is empty', fault: /it is empty/, break: ({ publish }) => publish('/hosts', '# nothing today\n') },
  {
    name: 'shrinks by half',
    fault: /it shrank from 10 to 4 entries; "quirl lists --accept" accepts it/,
    break: ({ publish }) => publish('/hosts', 'a.example\nb.example\nc.example\nd.example\n'),
  },
  {
    name: 'redirects to an address without TLS',
    fault: /it redirects to http:\/\/elsewhere\.example, without TLS/,
    break: ({ answer }) =>
      answer('/hosts', (_, response) => response.writeHead(302, { location: 'http://elsewhere.example/hosts' }).end()),
  },
  {
    name: 'redirects endlessly',
    fault: /it redirects more than 5 times/,
    break: ({ answer }) => answer('/hosts', (_, response) => response.writeHead(301, { location: '/hosts' }).end()),
  },
]

for (const { name, fault, break: breakList } of failures) {
  test(`a list that ${name} keeps its previous state in use, and has a fault`, async (t) => {
    const [server, publisher] = await startWithList(t, ten('bad'))
    breakList(publisher)
    const [list] = await refresh(server)
    assert.match(list?.fault ?? '', fault)
    assert.deepEqual([list?.entries, list?.format], [10, 'host names'])
    assert.ok(await isBlocked(server, 'https://www.bad7.example/'))
    assert.equal((await readyz(server))[0], 200)
    const lines = server.logged.filter(({ msg }) => /the previous state stays in use/.test(String(msg)))
    assert.equal(lines.length, 1)
    assert.match(String(lines[0]?.['fault']), fault)
    await refresh(server)
    assert.equal(server.logged.length, 1, 'the same fault is not logged again')
    assert.deepEqual(
      readdirSync(join(server.dataDir, 'lists')).filter((file) => /new|tmp/.test(file)),
      [],
    )
  })
}

test('an operator can accept a list that shrank', async (t) => {
  const [server, publisher] = await startWithList(t, ten('bad'))
  publisher.publish('/hosts', 'new.example\n')
  const ran = await command(server.dataDir, 'lists', '--accept')
  assert.match(ran.stdout, /^LIST .*\n127\.0\.0\.1:\d+\/hosts +host names +1 +0 +2\d{3}-.* good/)
  assert.deepEqual(
    [await isBlocked(server, 'https://bad1.example/'), await isBlocked(server, 'https://new.example/')],
    [false, true],
  )
})

test('a file is loaded again when it changes; when it is deleted, its last valid state stays in use', async (t) => {
  const file = join(temporaryFolder(t), 'own.txt')
  writeFileSync(file, '# mine\n')
  const server = await startServer(t, { ABUSE_FEEDS: file })
  assert.deepEqual([(await refresh(server))[0]?.entries, (await readyz(server))[0]], [0, 200])
  writeFileSync(file, '# mine\nbad.example\n')
  assert.deepEqual(
    (await refresh(server)).map(({ name, entries, fault }) => [name, entries, fault]),
    [['own.txt', 1, null]],
  )
  assert.ok(await isBlocked(server, BAD))
  rmSync(file)
  assert.equal((await refresh(server))[0]?.fault, 'it cannot be read (ENOENT)')
  assert.ok(await isBlocked(server, BAD))
})

test('lists survive a restart: without a network the service is ready at once and blocks as before', async (t) => {
  const publisher = await startListServer(t)
  publisher.publish('/hosts', 'bad.example\n')
  const args = [`--abuse-feeds=${publisher.url('/hosts')}`]
  const first = await start(t, undefined, args)
  assert.match((await command(first.dataDir, 'lists', '--refresh')).stdout, / good\n/)
  first.process.kill('SIGKILL')
  await exitOf(first)
  await publisher.close()
  const second = await start(t, first.dataDir, args)
  assert.equal((await readyz(second))[0], 200)
  assert.ok(await isBlocked(second, BAD))
})

test('stored lists that are damaged, or of a source that was removed, are not used', async (t) => {
  const publisher = await startListServer(t)
  publisher.publish('/hosts', 'bad.example\n')
  publisher.publish('/more', 'worse.example\n')
  const first = await start(t, undefined, [`--abuse-feeds=${publisher.url('/hosts')},${publisher.url('/more')}`])
  await command(first.dataDir, 'lists', '--refresh')
  first.process.kill('SIGTERM')
  assert.equal((await exitOf(first)).code, 0)
  const folder = join(first.dataDir, 'lists')
  assert.equal(readdirSync(folder).length, 5)
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.keys'))) {
    const bytes = readFileSync(join(folder, file))
    bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
    writeFileSync(join(folder, file), bytes)
  }
  publisher.answer('/hosts', (_, response) => response.writeHead(503).end())
  const second = await start(t, first.dataDir, [`--abuse-feeds=${publisher.url('/hosts')}`])
  assert.equal((await readyz(second))[0], 503)
  publisher.publish('/hosts', 'bad.example\n')
  await command(first.dataDir, 'lists', '--refresh')
  assert.equal((await readyz(second))[0], 200)
  assert.ok(await isBlocked(second, BAD))
  assert.equal(await isBlocked(second, 'https://worse.example/'), false)
  assert.equal(readdirSync(folder).length, 3)
})

test('the URL of a list, which may contain a key, is in no file, no log line and no response', async (t) => {
  const publisher = await startListServer(t)
  publisher.answer('/secret-key/list.csv', (_, response) => response.writeHead(403).end())
  const server = await startServer(t, { ABUSE_FEEDS: publisher.url('/secret-key/list.csv?auth=secret-word') })
  await refresh(server)
  const shown = [
    JSON.stringify(server.logged),
    (await readyz(server))[1],
    (await command(server.dataDir, 'lists')).stdout,
    ...readdirSync(join(server.dataDir, 'lists')).map((file) =>
      readFileSync(join(server.dataDir, 'lists', file), 'utf8'),
    ),
  ]
  assert.match(shown[2] ?? '', /\/list\.csv .*it answered 403/)
  assert.doesNotMatch(shown.join('\n'), /secret/)
})

test('a stop does not wait for a publisher that does not respond', async (t) => {
  const publisher = await startListServer(t)
  const requested = Promise.withResolvers<void>()
  publisher.answer('/hosts', () => requested.resolve())
  const service = await start(t, undefined, [`--abuse-feeds=${publisher.url('/hosts')}`])
  await requested.promise
  service.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
})

const PUBLIC = { BASE_URL: 'https://go.bakery.shop' }

test('the recommended lists are the default where anybody may create at a public name, and nowhere else', async (t) => {
  const publisher = await startListServer(t)
  publisher.publish('/recommended', 'bad.example\n')
  publisher.publish('/own', 'worse.example\n')
  const recommendedLists = [publisher.url('/recommended')]
  const namesOf = async (env: Record<string, string>) => {
    const server = await startServer(t, env, undefined, { recommendedLists })
    return (await refresh(server)).map(({ name, isRecommended, entries }) => [
      name.replace(/^127\.0\.0\.1:\d+\//, ''),
      isRecommended,
      entries,
    ])
  }
  const recommended = ['recommended', true, 1]
  const own = ['own', false, 1]
  assert.deepEqual(await namesOf(PUBLIC), [recommended])
  assert.deepEqual(await namesOf({ ABUSE_FEEDS: 'recommended' }), [recommended])
  assert.deepEqual(await namesOf({ ABUSE_FEEDS: `recommended,${publisher.url('/own')}` }), [own, recommended])
  // The operator's own choice is what the service waits for.
  const both = `recommended,${publisher.url('/recommended')}`
  assert.deepEqual(await namesOf({ ...PUBLIC, ABUSE_FEEDS: both }), [['recommended', false, 1]])
  for (const env of [
    {},
    { BASE_URL: 'http://192.168.1.50:3000' },
    { BASE_URL: 'https://qr.example.com' },
    { ...PUBLIC, CREATE: 'token' },
    { ...PUBLIC, CREATE: 'closed' },
    { ...PUBLIC, ABUSE_FEEDS: 'off' },
  ])
    assert.deepEqual(await namesOf(env), [], JSON.stringify(env))
  const server = await startServer(t, PUBLIC, undefined, { recommendedLists })
  await refresh(server)
  assert.ok(await isBlocked(server, BAD))
})

test('a recommended list that cannot be loaded delays nothing: it is tried again, and said by all that an operator reads', async (t) => {
  const publisher = await startListServer(t)
  publisher.publish('/good', 'bad.example\n')
  publisher.answer('/late', (_, response) => response.writeHead(503).end())
  const recommendedLists = [publisher.url('/late'), publisher.url('/good')]
  let now = Date.now()
  const server = await startServer(t, PUBLIC, () => now, { recommendedLists })
  await refresh(server)
  assert.deepEqual([(await readyz(server))[0], await isBlocked(server, BAD)], [200, true])
  const metric = (name: string) => valueOf(server.services.metrics, name)
  assert.deepEqual([metric('quirl_abuse_lists_missing'), metric('quirl_abuse_lists_failing')], [1, 1])
  // One that was never loaded does not hide how old the others are.
  assert.ok(metric('quirl_abuse_lists_checked_timestamp_seconds') > 0)
  assert.deepEqual(
    server.logged.map(({ fault, msg }) => [fault, msg]),
    [['it answered 503', 'a list could not be refreshed; links are not compared with it until it can be']],
  )
  const run = async (name: string) => (await command(server.dataDir, name)).stdout
  assert.match(await run('status'), /is ready\nlinks are not compared with the list \S+\/late, .*: it answered 503/)
  assert.match(await run('lists'), /\/late \(recommended\) .* never .* it answered 503/)
  assert.match(await run('doctor'), /\/late has never been loaded \(it answered 503\): links are not compared with it/)
  publisher.publish('/late', 'worse.example\n')
  now += 300_000
  await server.services.abuse.operations['lists']?.({ refresh: true })
  assert.ok(await isBlocked(server, 'https://worse.example/'))
  assert.equal(metric('quirl_abuse_lists_missing'), 0)
})

test('a recommended list is bounded: one with more entries is not used, and a list that was named may have them', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'many')
  writeFileSync(file, 'bad.example\nworse.example\nworst.example\n')
  await assert.rejects(parseList({ file, salt: '', maxEntries: 2 }), /^Error: it has more than 2 entries$/)
  const bounds: number[] = []
  const feeds = openFeeds({
    sources: [
      { source: file, isRecommended: true },
      { source: `${folder}/../${basename(folder)}/many`, isRecommended: false },
    ],
    files: openListFiles(join(folder, 'lists'), ''),
    now: Date.now,
    monotonic: () => performance.now(),
    fetch,
    // The bound of the recommended list, as if it had 3 of 2 entries.
    parse(task) {
      bounds.push(task.maxEntries)
      return parseList({ ...task, maxEntries: task.maxEntries - 3_999_998 })
    },
    onChange: () => {},
    log: { warn: () => {} },
  })
  await feeds.refresh({ all: true })
  assert.deepEqual(bounds.slice(0, 2), [4_000_000, Infinity])
  assert.deepEqual(
    feeds.status().map(({ fault, entries }) => [fault, entries]),
    [
      ['it has more than 2 entries', undefined],
      [null, 3],
    ],
  )
  await feeds.close()
})

test('a list that takes too long to be read is given up, because other lists wait for it', async (t) => {
  const file = join(temporaryFolder(t), 'slow.csv')
  writeFileSync(file, `id,url\n${'1,"x\n'.repeat(1_000_000)}`)
  const task = { file, salt: '', maxEntries: Number.POSITIVE_INFINITY }
  await assert.rejects(parseList(task, 600), /^Error: it takes longer than 0.01 minutes to read$/)
})
