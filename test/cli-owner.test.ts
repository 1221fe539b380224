import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { outcomeOf } from '../src/main.ts'
import { createQuirlClient } from '../src/client/client.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { listen } from './support/http-server.ts'
import { program } from './support/program.ts'
import { startServer, visit, type TestServer } from './support/server.ts'

// The commands of owners run in this process: they call the service by HTTP as the program does.

async function startWithHome(t: TestContext): Promise<TestServer & { home: string }> {
  return { ...(await startServer(t)), home: useHome(t) }
}

/** Commands read and write the files of this home. */
function useHome(t: TestContext): string {
  const home = temporaryFolder(t)
  process.env['XDG_CONFIG_HOME'] = home
  return home
}

before(() => {
  delete process.env['QUIRL_SERVER']
})

const linesOf = (text: string) => text.trimEnd().split('\n')

test('an owner creates, reads, changes, pauses and deletes a link by the URL of its page', async (t) => {
  const { url, home } = await startWithHome(t)
  const file = join(home, 'menu.svg')
  const flags = ['--alias=menu', '--utm-source=flyer', `--qr=${file}`, `--server=${url}`]
  const created = await outcomeOf(['shorten', 'https://example.com/menu', ...flags])
  assert.match(created.stderr, /^quirl: others cannot reach http:\/\/127\.0\.0\.1:\d+, .*\n$/)
  const [short = '', page = ''] = linesOf(created.stdout)
  assert.equal(short, `${url}/menu`)
  assert.match(readFileSync(file, 'utf8'), /<svg/)
  assert.equal((await visit(short)).headers.get('location'), 'https://example.com/menu?utm_source=flyer')
  assert.ok(!existsSync(join(home, 'quirl')), 'nothing is kept unless the owner asks for it')

  const shown = await outcomeOf(['stats', page, '--tz=UTC'])
  assert.match(shown.stdout, /^menu {2}.* \(UTC\)\n\n {29}█ {2}30 days, highest: 1 visit\n\nvisits +1 /)
  const { totals } = JSON.parse((await outcomeOf(['stats', page, '--json', '--days=7'])).stdout)
  assert.equal(totals.scans, 1)
  assert.match((await outcomeOf(['stats', page, '--days=1'])).stdout, /2[345] hours/)
  const window = ['stats', page, '--from=2024-02-01', '--to=2024-03-31', '--tz=UTC']
  const weeks = await outcomeOf([...window, '--interval=week'])
  assert.match(weeks.stdout, /^menu {2}2024-02-01 to 2024-03-31 \(UTC\)\n\n {9} {2}9 weeks, no visits\n/)
  assert.match((await outcomeOf([...window, '--days=7'])).stderr, /\/days must be absent where from or to is given/)

  const scansOf = async (...filters: string[]) =>
    JSON.parse((await outcomeOf(['stats', page, '--json', ...filters])).stdout).totals.scans as number
  assert.deepEqual(
    [await scansOf('--source=link'), await scansOf('--source=qr'), await scansOf('--source=qr', '--source=link')],
    [1, 0, 1],
  )
  assert.equal(await scansOf('--source=link', '--country=DE'), 0)
  assert.match((await outcomeOf(['stats', page, '--source=post'])).stderr, /\/source\/0 must be qr or link/)

  const edited = await outcomeOf(['edit', page, '--target=https://example.com/new', '--title=New'])
  assert.equal(edited.stdout, `${short} leads to https://example.com/new\n`)
  assert.equal((await outcomeOf(['pause', page])).stdout, `${short} is paused\n`)
  assert.equal((await visit(short)).status, 404)
  assert.equal((await outcomeOf(['resume', page])).stdout, `${short} is active\n`)
  assert.equal((await visit(short)).headers.get('location'), 'https://example.com/new?utm_source=flyer')

  const exported = join(home, 'scans.csv')
  await outcomeOf(['export', page, `--out=${exported}`])
  assert.equal(parse(readFileSync(exported, 'utf8'), { columns: true }).length, 2)

  const objects = join(home, 'scans.ndjson')
  await outcomeOf(['export', page, '--format=ndjson', `--out=${objects}`])
  assert.deepEqual(
    linesOf(readFileSync(objects, 'utf8')).map((line) => JSON.parse(line).source),
    ['link', 'link'],
  )
  for (const wrong of [['--format=xml'], ['--format=csv', '--bundle']])
    assert.match((await outcomeOf(['export', page, ...wrong])).stderr, /--format/)

  const bundle = join(home, 'menu.zip')
  await outcomeOf(['export', page, '--bundle', `--out=${bundle}`])
  assert.match(readFileSync(bundle, 'latin1'), /^PK.*"format": "quirl-link"/s)

  const refused = await outcomeOf(['delete', page])
  assert.deepEqual([refused.status, refused.stdout], [1, ''])
  assert.match(refused.stderr, /add --yes to delete/)
  const undoable = (await outcomeOf(['delete', page, '--undo'])).stdout
  assert.match(undoable, /is deleted; until 20\d\d-.*Z "quirl undelete" brings it back\n$/)
  assert.equal((await visit(short)).status, 410)
  const late = await outcomeOf(['pause', page])
  assert.match(late.stderr, /until .* it can be brought back/)
  assert.equal((await outcomeOf(['undelete', page])).stdout, `${short} is back\n`)
  assert.equal((await visit(short)).status, 302)
  assert.equal((await outcomeOf(['delete', page, '--yes'])).stdout, `${short} is deleted\n`)
  assert.equal((await visit(short)).status, 410)
  const gone = await outcomeOf(['stats', page])
  assert.deepEqual([gone.status, gone.stdout], [1, ''])
})

test('a token that was kept is found by the code or the short URL, in a file that only its owner can read', async (t) => {
  const { url, home } = await startWithHome(t)
  const at = `--server=${url}`
  await outcomeOf(['shorten', 'https://example.com', '--alias=Kept', '--keep', at])
  const file = join(home, 'quirl', 'tokens.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(join(home, 'quirl')).mode & 0o777, 0o700)
  for (const name of ['kept', 'KEPT', `${url}/kept`]) assert.equal((await outcomeOf(['stats', name, at])).status, 0)
  const elsewhere = await outcomeOf(['stats', 'kept', '--server=https://other.example.com'])
  assert.match(elsewhere.stderr, /no token of "kept" was kept/)
  await outcomeOf(['delete', 'kept', '--yes', at])
  assert.doesNotMatch(readFileSync(file, 'utf8'), /kept/)

  writeFileSync(file, '[1')
  const damaged = await outcomeOf(['shorten', 'https://example.com', '--keep', at])
  assert.equal(damaged.status, 1)
  assert.match(damaged.stderr, /the link was created, but .*tokens\.json cannot be read/)
  assert.match(damaged.stdout, /\/m\//, 'the token is printed although it could not be kept')
})

test('a token is kept whatever the code is, also one that objects have', async (t) => {
  const { url, home } = await startWithHome(t)
  const at = `--server=${url}`
  for (const alias of ['__proto__', 'constructor', 'toString']) {
    assert.match((await outcomeOf(['stats', alias, at])).stderr, /no token of/)
    await outcomeOf(['shorten', 'https://example.com', `--alias=${alias}`, '--keep', at])
    assert.equal((await outcomeOf(['stats', alias, at])).status, 0, alias)
    assert.match(readFileSync(join(home, 'quirl', 'tokens.json'), 'utf8'), new RegExp(alias, 'i'))
    await outcomeOf(['delete', alias, '--yes', at])
    assert.match((await outcomeOf(['stats', alias, at])).stderr, /no token of/)
  }
})

test('commands that run at the same time keep every token', async (t) => {
  const { url, home } = await startWithHome(t)
  const run = promisify(execFile)
  const shorten = (at: number) =>
    run(process.execPath, [program, 'shorten', 'https://example.com', `--alias=many${at}`, '--keep', `--server=${url}`])
  await Promise.all(Array.from({ length: 12 }, (_, at) => shorten(at)))
  const kept = JSON.parse(readFileSync(join(home, 'quirl', 'tokens.json'), 'utf8')) as Record<string, object>
  assert.equal(Object.keys(kept[url] ?? {}).length, 12)
})

test('the service is the one of --server, else of QUIRL_SERVER, else of config.json', async (t) => {
  const { url, home } = await startWithHome(t)
  mkdirSync(join(home, 'quirl'))
  writeFileSync(join(home, 'quirl', 'config.json'), JSON.stringify({ server: url }))
  assert.equal((await outcomeOf(['shorten', 'https://example.com/1'])).status, 0)
  t.after(() => delete process.env['QUIRL_SERVER'])
  process.env['QUIRL_SERVER'] = 'https://qr.example.com/path'
  const refused = await outcomeOf(['shorten', 'https://example.com/2'])
  assert.match(refused.stderr, /QUIRL_SERVER must be an origin such as/)
  assert.equal((await outcomeOf(['shorten', 'https://example.com/3', `--server=${url}`])).status, 0)
})

test('a table of more rows than one request may have becomes links, and a bad row says what is wrong', async (t) => {
  const { url, home } = await startWithHome(t)
  const [table, out] = [join(home, 'table.csv'), join(home, 'links.csv')]
  const rows = Array.from({ length: 501 }, (_, at) => `https://example.com/${at};Title ${at}`)
  writeFileSync(table, `﻿Target;Title\n${rows.join('\n')}\nhttp://10.0.0.1/;bad\n`)
  const { status, stderr } = await outcomeOf(['bulk', table, `--out=${out}`, `--server=${url}`])
  assert.equal(status, 2)
  assert.match(
    stderr,
    /^quirl: others cannot reach http:\/\/127\.0\.0\.1:\d+, .*\nquirl: 1 of 502 rows have an error\n$/,
  )
  const links: Record<string, string>[] = parse(readFileSync(out, 'utf8'), { columns: true })
  assert.deepEqual(
    links.map(({ row }) => row),
    Array.from({ length: 502 }, (_, at) => String(at + 1)),
  )
  assert.equal(new Set(links.map(({ token }) => token)).size, 502)
  assert.match(links[501]?.['error'] ?? '', /must have a public host/)
  assert.equal((await visit(links[500]?.['short_url'] ?? '')).headers.get('location'), 'https://example.com/500')
  assert.equal(statSync(out).mode & 0o777, 0o600)

  const again = await outcomeOf(['bulk', table, `--out=${out}`, `--server=${url}`])
  assert.match(again.stderr, /EEXIST/, 'a table of tokens is not overwritten')
  writeFileSync(table, 'target\nhttp://10.0.0.1/\n')
  const none = await outcomeOf(['bulk', table, `--out=${out}2`, '--json', `--server=${url}`])
  assert.equal(none.status, 2)
  assert.equal(JSON.parse(readFileSync(`${out}2`, 'utf8')).error.code, 'invalid_request')
})

for (const [what, text, message] of [
  ['no column "target"', 'colour\nhttps://example.com\n', /line 1 must be a header with the column "target"/],
  ['an open quote', 'target\nhttps://example.com\n"https://example.com\n', /line 3/],
  ['a row of more cells than the header', 'target,title\na,b\na,b,c\n', /line 3/],
  ['no row', 'target\n', /has no row/],
] as const) {
  test(`a table with ${what} creates nothing`, async (t) => {
    const table = join(useHome(t), 'table.csv')
    writeFileSync(table, text)
    const { status, stderr } = await outcomeOf(['bulk', table, '--server=http://127.0.0.1:9'])
    assert.equal(status, 1)
    assert.match(stderr, message)
  })
}

/** A service that answers with these responses in turn, the last one for ever. */
async function answering(t: TestContext, responses: [status: number, body: string][]) {
  const keys: unknown[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key'])
    const [status, body] = responses[Math.min(keys.length, responses.length) - 1] ?? [500, '']
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(body)
  })
  return { url: `http://127.0.0.1:${await listen(t, server)}`, keys }
}

const link = { short_url: 'http://q/a', manage_url: 'http://q/m/t', code: 'a', token: 't', qr_png: '', qr_svg: '' }

test('a creation that an overloaded service refuses is sent again with the same Idempotency-Key', async (t) => {
  useHome(t)
  const refusal: [number, string] = [503, '{"detail":"busy"}']
  const { url, keys } = await answering(t, [refusal, refusal, [201, JSON.stringify(link)]])
  const { status, stdout } = await outcomeOf(['shorten', 'https://example.com', `--server=${url}`])
  assert.deepEqual([status, stdout], [0, 'http://q/a\nhttp://q/m/t\n'])
  assert.equal(keys.length, 3)
  assert.equal(new Set(keys).size, 1)
})

test('a service that stays overloaded, or is away, is exit status 3', async (t) => {
  useHome(t)
  const { url } = await answering(t, [[503, '{"detail":"too many requests wait"}']])
  const busy = await outcomeOf(['shorten', 'https://example.com', `--server=${url}`])
  assert.deepEqual(busy, { status: 3, stdout: '', stderr: 'quirl: too many requests wait\n' })
})

test('a server that is not quirl is said to be none', async (t) => {
  useHome(t)
  const { url } = await answering(t, [[404, '<html>']])
  const { status, stderr } = await outcomeOf(['shorten', 'https://example.com', `--server=${url}`])
  assert.equal(status, 1)
  assert.match(stderr, /answered with status 404; is it quirl\?/)
})

test('a server that redirects to another gets no request there, and the command says where it redirects', async (t) => {
  useHome(t)
  const other = await answering(t, [[201, JSON.stringify(link)]])
  for (const [status, path] of [
    [308, '/api/links'],
    [302, '/'],
  ] as const) {
    const server = createServer((_request, response) =>
      response.writeHead(status, { location: `${other.url}${path}` }).end('{}'),
    )
    const url = `http://127.0.0.1:${await listen(t, server)}`
    const refused = await outcomeOf(['shorten', 'https://example.com', `--server=${url}`])
    const message = `quirl: ${url} redirects to ${other.url}; if that is the service, name it with --server or QUIRL_SERVER\n`
    assert.deepEqual(refused, { status: 1, stdout: '', stderr: message })
  }
  assert.deepEqual(other.keys, [])
})

test('invalid arguments send nothing', async (t) => {
  useHome(t)
  const { url, keys } = await answering(t, [[500, '']])
  const at = `--server=${url}`
  for (const [args, message] of [
    [['shorten'], /give the URL to shorten/],
    [['shorten', 'a', 'b'], /give one URL/],
    [['shorten', 'https://example.com', '--qr=a.gif'], /must end in \.png, \.svg, \.pdf/],
    [['shorten', 'https://example.com', '--fields=/nonexistent'], /--fields=\/nonexistent: ENOENT/],
    [['stats'], /give one link/],
    [['stats', 'unknown'], /no token of "unknown" was kept/],
    [['stats', 'A'.repeat(43), '--days=many'], /--days must be a whole number/],
    [['edit', 'A'.repeat(43)], /give what to change/],
    [['bulk'], /give one CSV file/],
    [['bulk', '/nonexistent'], /ENOENT/],
    [['completion', 'tcsh'], /tcsh is not bash, zsh or fish/],
  ] as const) {
    const { status, stderr } = await outcomeOf([...args, ...(args[0] === 'completion' ? [] : [at])])
    assert.equal(status, 1)
    assert.match(stderr, message)
  }
  assert.deepEqual(keys, [])
})

test('the program streams an export to standard output, and prints totals when they change', async (t) => {
  const { url } = await startWithHome(t)
  const { stdout } = await outcomeOf(['shorten', 'https://example.com', '--alias=a', `--server=${url}`])
  const [, page = ''] = linesOf(stdout)
  await visit(`${url}/a`)
  const exported = await new Promise<string>((resolve, reject) =>
    execFile(process.execPath, [program, 'export', page], (error, text) => (error ? reject(error) : resolve(text))),
  )
  assert.match(exported, /^scanned_at,.*\r\n.*,link,/)

  const watching = spawn(process.execPath, [program, 'stats', page, '--watch', '--json'])
  t.after(() => watching.kill())
  let seen = ''
  for await (const piece of watching.stdout) {
    seen += piece
    if (/"scans":1,/.test(seen) && !/"scans":2,/.test(seen)) await visit(`${url}/a`)
    if (/"scans":2,/.test(seen)) break
  }
  assert.match(seen, /\{"scans":2,/)
})

test('completions are valid scripts and know every command', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await outcomeOf(['completion', shell])
    for (const name of ['shorten', 'stats', 'backup']) assert.match(stdout, new RegExp(name))
    if (shell === 'bash') {
      const script = `${stdout}\nCOMP_WORDS=(quirl sh); COMP_CWORD=1; _quirl; echo "\${COMPREPLY[@]}"`
      assert.equal(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout, 'shorten\n')
    }
  }
})

test('the typed client calls the API', async (t) => {
  const { url } = await startServer(t)
  const { data } = await createQuirlClient({ server: url }).POST('/api/links', {
    body: { target: 'https://example.com' },
  })
  const { data: details } = await createQuirlClient({ server: url, token: data?.token }).GET('/api/manage')
  assert.equal(details?.target, 'https://example.com')
  const { error } = await createQuirlClient({ server: url, token: 'x' }).GET('/api/manage')
  assert.equal(error?.code, 'unknown_token')
})
