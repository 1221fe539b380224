import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import { importCommand } from '../src/cli/import/command.ts'
import type { CommandContext } from '../src/cli/command.ts'
import { createOperatorClient } from '../src/operator/client.ts'
import { newToken } from '../src/lib/token.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { command, quirl } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { create, startServer, visit, type TestServer } from './support/server.ts'

const NOW = Date.UTC(2026, 10, 23, 12)

/** What a link of the file is in quirl. */
interface Expected {
  code: string
  target: string
  title: string | null
  created_at: string
  clicks: number
}

const menu: Expected = {
  code: 'Menu',
  target: 'https://shop.example/menu?a=1',
  title: 'Menu of the day',
  created_at: '2024-05-01T10:00:00.000Z',
  clicks: 1234,
}
const plain: Expected = {
  code: 'a-b_c',
  target: 'https://shop.example/',
  title: null,
  created_at: '2023-01-02T03:04:05.000Z',
  clicks: 0,
}

/** The same two links as each tool exports them (docs/import.md); the address that YOURLS has must not be kept. */
const exports: [from: string, name: string, text: string][] = [
  [
    'yourls',
    'csv',
    'keyword,url,title,timestamp,ip,clicks\n' +
      'Menu,https://shop.example/menu?a=1,Menu of the day,2024-05-01 10:00:00,203.0.113.77,1234\n' +
      'a-b_c,https://shop.example/,,2023-01-02 03:04:05,203.0.113.77,0\n',
  ],
  [
    'yourls',
    'json',
    JSON.stringify({
      links: {
        link_1: {
          shorturl: 'http://sho.rt/Menu',
          url: menu.target,
          title: menu.title,
          timestamp: '2024-05-01 10:00:00',
          ip: '203.0.113.77',
          clicks: '1234',
        },
        link_2: { shorturl: 'http://sho.rt/a-b_c', url: plain.target, timestamp: '2023-01-02 03:04:05', clicks: '0' },
      },
      stats: { total_links: '2', total_clicks: '1234' },
      statusCode: 200,
    }),
  ],
  [
    'shlink',
    'json',
    JSON.stringify(
      [
        {
          shortCode: 'Menu',
          shortUrl: 'https://s.example/Menu',
          longUrl: menu.target,
          dateCreated: '2024-05-01T12:00:00+02:00',
          visitsSummary: { total: 1234, nonBots: 1200, bots: 34 },
          tags: ['food'],
          meta: { validSince: null, validUntil: null, maxVisits: null },
          domain: null,
          title: menu.title,
        },
        {
          shortCode: 'a-b_c',
          shortUrl: 'https://s.example/a-b_c',
          longUrl: plain.target,
          dateCreated: '2023-01-02T03:04:05+00:00',
          visitsSummary: { total: 0, nonBots: 0, bots: 0 },
          meta: { validSince: null, validUntil: null, maxVisits: null },
          title: null,
        },
      ].map((link) => ({ shortUrls: { data: [link], pagination: { pagesCount: 2 } } })),
    ),
  ],
  [
    'shlink',
    'csv',
    '"createdAt","shortCode","shortUrl","longUrl","title","tags","visits"\n' +
      '"2024-05-01T12:00:00+02:00","Menu","https://s.example/Menu","https://shop.example/menu?a=1","Menu of the day","food","1234"\n' +
      '"2023-01-02T03:04:05Z","a-b_c","https://s.example/a-b_c","https://shop.example/","","","0"\n',
  ],
  [
    'kutt',
    'json',
    JSON.stringify({
      limit: 10,
      skip: 0,
      total: 2,
      data: [
        {
          id: '1',
          address: 'Menu',
          link: 'https://kutt.example/Menu',
          target: menu.target,
          description: menu.title,
          banned: false,
          password: false,
          expire_in: null,
          created_at: menu.created_at,
          visit_count: 1234,
        },
        {
          address: 'a-b_c',
          target: plain.target,
          banned: false,
          password: false,
          created_at: plain.created_at,
          visit_count: 0,
        },
      ],
    }),
  ],
  [
    'dub',
    'csv',
    'Short link,Destination URL,Title,Tags,Clicks,Created at\n' +
      'https://dub.example/Menu,https://shop.example/menu?a=1,Menu of the day,food,"1,234",2024-05-01T10:00:00.000Z\n' +
      'https://dub.example/a-b_c,https://shop.example/,,,0,2023-01-02T03:04:05.000Z\n',
  ],
  [
    'dub',
    'json',
    JSON.stringify([
      {
        id: 'clux0rgak00011',
        domain: 'dub.example',
        key: 'Menu',
        url: menu.target,
        title: menu.title,
        archived: false,
        expiresAt: null,
        password: null,
        clicks: 1234,
        createdAt: menu.created_at,
        shortLink: 'https://dub.example/Menu',
      },
      { key: 'a-b_c', url: plain.target, title: null, clicks: 0, createdAt: plain.created_at, password: null },
    ]),
  ],
  [
    'bitly',
    'csv',
    'Bitlink,Long URL,Title,Created,Clicks\n' +
      'bit.ly/Menu,https://shop.example/menu?a=1,Menu of the day,2024-05-01T10:00:00+0000,1234\n' +
      'bit.ly/a-b_c,https://shop.example/,,2023-01-02T03:04:05+0000,0\n',
  ],
  [
    'bitly',
    'json',
    JSON.stringify({
      links: [
        {
          id: 'bit.ly/Menu',
          link: 'https://bit.ly/Menu',
          long_url: menu.target,
          title: menu.title,
          created_at: '2024-05-01T10:00:00+0000',
          clicks: 1234,
        },
        {
          id: 'bit.ly/a-b_c',
          link: 'https://bit.ly/a-b_c',
          long_url: plain.target,
          created_at: '2023-01-02T03:04:05+0000',
        },
      ],
      pagination: { total: 2, page: 1, size: 50 },
    }),
  ],
  [
    'csv',
    'csv',
    '\uFEFFcode;target;title;created_at;clicks\r\n' +
      'Menu;https://shop.example/menu?a=1;Menu of the day;2024-05-01T10:00:00Z;1234\r\n' +
      'a-b_c;https://shop.example/;;2023-01-02T03:04:05Z;\r\n',
  ],
]

interface Report {
  created: number
  present: number
  clicks: number
  refused: { place: string; code: string; reason: string }[]
  warnings?: string[]
}

const stores: [name: string, env: (t: TestContext) => Promise<Record<string, string> | undefined>][] = [
  ['SQLite', async () => ({})],
  [
    'PostgreSQL',
    async (t) =>
      requireProgram(t, 'initdb', 'postgresql') ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined,
  ],
]

/** A service, and how its operator imports a file. */
async function startImporting(t: TestContext, env: Record<string, string> = {}) {
  const server = await startServer(t, env, () => NOW)
  const folder = temporaryFolder(t)
  let files = 0
  const write = (text: string | Uint8Array) => {
    const file = join(folder, `export-${++files}`)
    writeFileSync(file, text)
    return file
  }
  const run = (file: string, from: string, ...args: string[]) =>
    command(server.dataDir, 'import', file, `--from=${from}`, ...args)
  const report = async (file: string, from: string, ...args: string[]) => {
    const { stdout, stderr } = await run(file, from, '--json', ...args)
    assert.equal(stderr, '')
    return JSON.parse(stdout) as Report
  }
  return { server, write, run, report }
}

const keysIn = (file: string) => parse(readFileSync(`${file}.keys.csv`), { columns: true }) as Record<string, string>[]

/** A link as its owner sees it with the token of the file of keys. */
async function read({ url }: TestServer, token: string) {
  const response = await fetch(`${url}/api/manage/${token}`)
  assert.equal(response.status, 200)
  const { code, target, title, created_at, totals } = (await response.json()) as Expected & {
    totals: { scans: number; unique_visitors: number }
  }
  return { code, target, title, created_at, clicks: totals.scans, visitors: totals.unique_visitors }
}

for (const [store, envOf] of stores)
  test(`on ${store}, the links of each export keep their codes, titles, dates and clicks, and get tokens`, async (t) => {
    const env = await envOf(t)
    if (env === undefined) return
    for (const [at, [from, kind, text]] of exports.entries()) {
      await t.test(`${from}, ${kind}`, async (t) => {
        // The codes of the export before are taken.
        const { server, write, report } = await startImporting(t, at === 0 ? env : {})
        const file = write(text)
        assert.deepEqual(await report(file, from), { created: 2, present: 0, clicks: 1234, refused: [] })
        assert.equal(statSync(`${file}.keys.csv`).mode & 0o777, 0o600)
        const keys = keysIn(file)
        assert.deepEqual(
          keys.map(({ code }) => code),
          ['Menu', 'a-b_c'],
        )
        for (const [at, expected] of [menu, plain].entries()) {
          const { token = '', manage_url: manageUrl = '' } = keys[at] ?? {}
          assert.deepEqual(await read(server, token), { ...expected, visitors: 0 })
          assert.ok(manageUrl.endsWith(`/m/${token}`))
        }
        const redirect = await visit(`${server.url}/menu`)
        assert.equal(redirect.headers.get('location'), menu.target)
        assert.equal((await read(server, keys[0]?.token ?? '')).clicks, 1235, 'a visit counts beside the clicks')
        // As often as it is repeated, nothing is created or counted twice.
        assert.deepEqual(await report(file, from), { created: 0, present: 2, clicks: 1234, refused: [] })
        assert.deepEqual(keysIn(file), keys)
        assert.equal((await read(server, keys[0]?.token ?? '')).clicks, 1235)
        const stats = await fetch(`${server.url}/api/manage/${keys[0]?.token}/stats?days=all`)
        assert.ok(!(await stats.text()).includes('203.0.113'))
      })
      if (store !== 'SQLite') break
    }
  })

test('what cannot be kept as it was is not imported, with its line and the reason; the rest is', async (t) => {
  const { server, write, run, report } = await startImporting(t)
  await create(server, { target: 'https://example.com/', alias: 'taken' })
  assert.equal((await command(server.dataDir, 'block', 'evil.example')).status, 0)
  const rows = [
    'taken,https://a.example/',
    'api,https://a.example/',
    'with.dot,https://a.example/',
    'bad,https://evil.example/',
    'own,ftp://a.example/',
    'good,https://a.example/',
    'GOOD,https://b.example/',
  ]
  const file = write(`code,target\n${rows.join('\n')}\n`)
  const dry = await report(file, 'csv', '--dry-run')
  assert.ok(!existsSync(`${file}.keys.csv`))
  assert.equal((await visit(`${server.url}/good`)).status, 404)
  const real = await report(file, 'csv')
  assert.deepEqual(dry, real, 'a dry run says what the import does')
  assert.equal(real.created, 1)
  const reasons = new Map(real.refused.map(({ place, reason }) => [place, reason]))
  assert.match(reasons.get('line 2') ?? '', /alias taken is taken/)
  assert.match(reasons.get('line 3') ?? '', /reserved/)
  assert.match(reasons.get('line 4') ?? '', /alias must be/)
  assert.match(reasons.get('line 5') ?? '', /evil\.example/)
  assert.match(reasons.get('line 6') ?? '', /target/)
  assert.match(reasons.get('line 8') ?? '', /has the code of line 7/)
  assert.deepEqual(
    keysIn(file).map(({ code }) => code),
    ['good'],
  )
  const { status, stdout, stderr } = await run(file, 'csv')
  assert.equal(status, 2)
  assert.match(stdout, /^0 links created, 1 created by an earlier run; 0 clicks; the tokens are in /)
  assert.match(stderr, /6 links not imported:\nline 2: taken: [^]*line 8: GOOD: has the code/)
})

test('no token is lost when a corrected file, or a link that was blocked since, is imported again', async (t) => {
  const { server, write, run, report } = await startImporting(t)
  const file = write('code,target\na,https://a.example/\nb,ftp://b.example/\n')
  await run(file, 'csv')
  const [a] = keysIn(file)
  writeFileSync(file, 'code,target\nb,https://b.example/\n')
  assert.equal((await report(file, 'csv')).created, 1)
  const [, b] = keysIn(file)
  assert.deepEqual(keysIn(file), [a, b])
  assert.equal((await read(server, a?.['token'] ?? '')).code, 'a')
  assert.equal((await read(server, b?.['token'] ?? '')).code, 'b')

  assert.equal((await command(server.dataDir, 'block', 'b.example')).status, 0)
  assert.deepEqual(await report(file, 'csv'), { created: 0, present: 1, clicks: 0, refused: [] })
  assert.deepEqual(keysIn(file), [a, b])
})

test('a link that was blocked after an import was interrupted gets the clicks that were not counted yet', async (t) => {
  const { server, write, report } = await startImporting(t)
  const file = write('code,target,clicks\na,https://a.example/,7\n')
  const token = newToken()
  writeFileSync(`${file}.keys.csv`, `code,token,manage_url\na,${token},\n`)
  const call = createOperatorClient(server.dataDir)
  await call('import', { rows: [{ alias: 'a', target: 'https://a.example/', token }] })
  assert.equal((await command(server.dataDir, 'block', 'a.example')).status, 0)
  assert.deepEqual(await report(file, 'csv'), { created: 0, present: 1, clicks: 7, refused: [] })
  assert.equal((await read(server, token)).clicks, 7)
})

test('imports that run at the same time and share a file of keys lose no token', async (t) => {
  const { server, write, run } = await startImporting(t)
  const keys = `--keys=${write('code,token,manage_url\n')}`
  const files = ['a', 'b', 'c'].map((name) =>
    write(`code,target\n${Array.from({ length: 700 }, (_, at) => `${name}${at},https://a.example/`).join('\n')}\n`),
  )
  const programs = await Promise.all(files.map((file) => quirl(server.dataDir, 'import', file, '--from=csv', keys)))
  assert.deepEqual(
    programs.map(({ status }) => status),
    [0, 0, 0],
  )
  const entries = parse<{ code: string }>(readFileSync(keys.slice('--keys='.length)), { columns: true })
  assert.equal(new Set(entries.map(({ code }) => code)).size, 2100)
  for (const file of files) assert.match((await run(file, 'csv', keys)).stdout, /^0 links created, 700 created by an/)
})

test('links with a password, an end or a ban are not made public, and are named', async (t) => {
  const { write, report } = await startImporting(t)
  const target = 'https://a.example/'
  const kutt = {
    data: [
      { address: 'a', target, password: true },
      { address: 'b', target, banned: true },
      { address: 'c', target, expire_in: '2 days' },
    ],
  }
  const refused = (await report(write(JSON.stringify(kutt)), 'kutt')).refused
  assert.deepEqual(
    refused.map(({ place, code, reason }) => [place, code, reason.split(',')[0]]),
    [
      ['link 1', 'a', 'has a password'],
      ['link 2', 'b', 'is banned there'],
      ['link 3', 'c', 'has an end (by time or visits)'],
    ],
  )
  const shlink = [{ shortCode: 'd', longUrl: target, meta: { validUntil: '2024-01-01T00:00:00Z', maxVisits: null } }]
  assert.match((await report(write(JSON.stringify(shlink)), 'shlink')).refused[0]?.reason ?? '', /has an end/)
})

test('a code of several parts is named as not imported, and its last part is no code', async (t) => {
  const { server, write, report } = await startImporting(t)
  const link = (shortCode: string) => ({ shortCode, longUrl: 'https://a.example/', visitsSummary: { total: 3 } })
  const shlink = await report(write(JSON.stringify([link('spring/flyer'), link('menu')])), 'shlink')
  assert.deepEqual([shlink.created, shlink.clicks], [1, 3])
  assert.deepEqual(
    shlink.refused.map(({ place, code, reason }) => [place, code, reason.slice(0, 9)]),
    [['link 1', 'spring/flyer', 'has a "/"']],
  )
  assert.equal((await visit(`${server.url}/flyer`)).status, 404)
  const yourls = 'keyword,shorturl,url\n,http://sho.rt/a/b,https://a.example/\nx/y,,https://a.example/\n'
  assert.deepEqual(
    (await report(write(yourls), 'yourls')).refused.map(({ code }) => code),
    ['a/b', 'x/y'],
  )
})

test('each back-half of Bitly is a link, and their clicks are counted once', async (t) => {
  const { server, write, report } = await startImporting(t)
  const bitlink = {
    id: 'bit.ly/3xAbCdE',
    link: 'https://bit.ly/3xAbCdE',
    custom_bitlinks: ['https://go.test/spring-sale', 'https://bit.ly/3xabcde', 'https://go.test/a/b'],
    long_url: 'https://a.example/c',
    title: 'T',
    clicks: 5,
  }
  const { created, clicks, refused } = await report(write(JSON.stringify({ links: [bitlink] })), 'bitly')
  assert.deepEqual([created, clicks, refused.map(({ code }) => code)], [2, 5, ['a/b']])
  for (const code of ['3xAbCdE', 'spring-sale'])
    assert.equal((await visit(`${server.url}/${code}`)).headers.get('location'), 'https://a.example/c')
  const csv = 'link,long_url,custom_bitlinks\nhttps://bit.ly/q,https://a.example/d,"go.test/one, go.test/two"\n'
  assert.equal((await report(write(csv), 'bitly')).created, 3)
})

test('what databases write for no value is none, and texts that look like it are kept', async (t) => {
  const { server, write, report } = await startImporting(t)
  const file = write(
    'keyword,url,title,clicks\na,https://a.example/,NULL,NULL\nb,https://a.example/,\\N,2\nc,https://a.example/,No,0\n0,https://a.example/,false,1\n',
  )
  assert.deepEqual(await report(file, 'yourls'), { created: 4, present: 0, clicks: 3, refused: [] })
  const titles = await Promise.all(keysIn(file).map(async ({ token = '' }) => (await read(server, token)).title))
  assert.deepEqual(titles, [null, null, 'No', 'false'])
})

test('a title that is cut is said, and none is cut within a character', async (t) => {
  const { server, write, report } = await startImporting(t)
  const long = '😀'.repeat(201)
  const file = write(JSON.stringify([{ key: 'a', url: 'https://a.example/', title: long }]))
  const { created, warnings } = await report(file, 'dub')
  assert.deepEqual([created, warnings], [1, ['link 1: a: its title has more than 200 characters, and was cut']])
  assert.equal((await read(server, keysIn(file)[0]?.['token'] ?? '')).title, '😀'.repeat(200))
})

test('a table in UTF-16, in Windows-1252, or with delimiters in its addresses is imported as it is', async (t) => {
  const { server, write, report } = await startImporting(t)
  const utf16 = write(Buffer.from('\uFEFFcode\ttarget\ttitle\r\nu16\thttps://a.example/\t東京\r\n', 'utf16le'))
  assert.deepEqual(await report(utf16, 'csv'), { created: 1, present: 0, clicks: 0, refused: [] })
  assert.equal((await read(server, keysIn(utf16)[0]?.['token'] ?? '')).title, '東京')
  const ansi = write(Buffer.from('code;target;title\r\nwin;https://a.example/;Caf\xe9\r\n', 'latin1'))
  assert.match((await report(ansi, 'csv')).warnings?.join() ?? '', /read as Windows-1252/)
  assert.equal((await read(server, keysIn(ansi)[0]?.['token'] ?? '')).title, 'Café')
  await report(write('code,target,title\nmix,https://a.example/page;jsessionid=1\n'), 'csv')
  assert.equal((await visit(`${server.url}/mix`)).headers.get('location'), 'https://a.example/page;jsessionid=1')
})

describe('a broken file changes nothing', () => {
  const files: [from: string, text: string, message: RegExp][] = [
    ['csv', 'code,target\na,https://a.example/\nb,"https://b.example/\n', /a quote that is not closed, in line 3/],
    ['csv', 'code,target\na,https://a.example/\nb,https://b.example/,c\n', /column 3 \(C\) of line 3 has the text "c"/],
    [
      'csv',
      'code,target\na,https://a.example/\n,https://b.example/\n',
      /: line 3: no short code \(code, alias, shorturl\)$/,
    ],
    ['csv', 'code,target\na,https://a.example/\nb,\n', /: line 3: no destination/],
    ['csv', 'code,target,clicks\na,https://a.example/,many\n', /: line 2: "many" is not a number of clicks/],
    ['csv', 'code,target,created_at\na,https://a.example/,once\n', /: line 2: "once" is not a time/],
    ['csv', 'a,https://a.example/\n', /: line 1 must be a header with one of the columns code, alias, shorturl/],
    ['csv', 'code,target\n', /: it has no links$/],
    ['dub', '[{"key":"a","url":"https://a.example/"},\n{"key"', /\(line 2 column 7\)$/],
    ['dub', '[{"key":"a","url":"https://a.example/"}, 7]', /: link 2 is not an object$/],
    // What a terminal would obey is not quoted.
    ['dub', '[{"key": \u001B[31m"a"}]', /^\P{Cc}*Unexpected token ' '\P{Cc}*$/u],
    ['bitly', '{"links":[{"id":"bit.ly/a"}]}', /: link 1: no destination \(longurl\)$/],
  ]
  for (const [from, text, message] of files)
    test(`${from}: ${JSON.stringify(text).slice(0, 60)}`, async (t) => {
      const { server, write, run } = await startImporting(t)
      const file = write(text)
      const { status, stdout, stderr } = await run(file, from)
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr.trimEnd(), message)
      assert.ok(stderr.includes(file))
      assert.equal((await visit(`${server.url}/a`)).status, 404)
      assert.ok(!existsSync(`${file}.keys.csv`))
    })

  test('no file, no such service, a file of keys that is none', async (t) => {
    const { write, run } = await startImporting(t)
    assert.match((await run('/nonexistent.csv', 'csv')).stderr, /\/nonexistent\.csv: ENOENT/)
    const file = write('code,target\na,https://a.example/\n')
    assert.match((await run(file, 'tinyurl')).stderr, /--from must be one of yourls, shlink, kutt, dub, bitly, csv/)
    assert.match((await run(file, 'csv', `--keys=${file}`)).stderr, /is not a file of keys/)
  })
})

test('an import that is interrupted anywhere goes on with the same tokens, and counts each click once', async (t) => {
  const { server, write, report } = await startImporting(t)
  const rows = Array.from({ length: 1200 }, (_, at) => `-c${at},https://a.example/${at},7`)
  const file = write(`code,target,clicks\n${rows.join('\n')}\n`)
  const call = createOperatorClient(server.dataDir)
  /** Runs the command, whose calls fail as `failing` says. */
  const interrupted = async (failing: (calls: number) => 'before' | 'after' | undefined) => {
    let calls = 0
    const failingCall: CommandContext['call'] = async (...args) => {
      const when = failing(++calls)
      if (when === 'before') throw new Error('interrupted')
      const result = await call(...args)
      if (when === 'after') throw new Error('interrupted')
      return result
    }
    const { dataDir } = server
    const context = { args: [file], flags: { from: 'csv' }, dataDir, call: failingCall } as unknown as CommandContext
    await assert.rejects(importCommand.run(context), /interrupted/)
  }
  await interrupted((calls) => (calls === 1 ? 'before' : undefined))
  const drawn = keysIn(file)[0]
  await interrupted((calls) => (calls === 2 ? 'after' : undefined))
  // Killed while it wrote the next tokens.
  appendFileSync(`${file}.keys.csv`, '-c1000,half-a-tok')
  assert.deepEqual(await report(file, 'csv'), { created: 200, present: 1000, clicks: 8400, refused: [] })
  const keys = keysIn(file)
  assert.equal(keys.length, 1200)
  assert.equal(keys[0]?.token, drawn?.token)
  assert.deepEqual(
    keys.map(({ code }) => code),
    rows.map((row) => `'${row.split(',')[0]}`),
    'a code that begins with - is no formula',
  )
  for (const at of [0, 499, 500, 999, 1000, 1199]) {
    const { code, clicks } = await read(server, keys[at]?.token ?? '')
    assert.deepEqual([code, clicks], [`-c${at}`, 7])
  }
})
