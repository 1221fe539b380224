import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { socketPath } from '../src/operator/socket.ts'
import type { ListedLink } from '../src/links/listing/operator.ts'
import { command, quirl } from './support/cli.ts'
import { temporaryFolder, undoLater, type Ending } from './support/cleanup.ts'
import { PATIENCE_MS } from './support/poll.ts'
import { program } from './support/program.ts'
import { create, post, put, startServer, visit } from './support/server.ts'

const at = Date.UTC(2026, 10, 23, 12)

async function serveLinks(t: Ending) {
  const server = await startServer(t, {}, () => at)
  const shown = await create(server, {
    target: 'https://shop.example/a',
    alias: 'menu',
    title: 'Menü\n\u202e=1',
    password: 'opensesame',
  })
  const paused = await create(server, { target: 'https://www.shop.example/', alias: 'old' })
  await put(`${server.url}/api/manage/${paused.token}`, { active: false })
  await create(server, { target: 'https://bad.example/', alias: 'bad' })
  await command(server.dataDir, 'block', 'bad', '--reason=phishing')
  const run = (...args: string[]) => command(server.dataDir, 'links', ...args)
  return { server, shown, run }
}

const linesOf = (output: string) =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ListedLink)

test('quirl links lists and searches, as a table, as lines of JSON or as CSV, and never shows a token or a password', async (t) => {
  const { server, shown, run } = await serveLinks(t)
  await visit(`${server.url}/old`)
  await put(`${server.url}/api/manage/${shown.token}`, { password: null })
  assert.equal((await visit(shown.short_url)).status, 302)
  await put(`${server.url}/api/manage/${shown.token}`, { password: 'opensesame' })
  await server.services.scans.awaitFold()
  const table = await run()
  assert.equal(table.status, 0, table.stderr)
  const [header, ...rows] = table.stdout.trimEnd().split('\n')
  assert.match(header ?? '', /^CODE +KIND +STATE +CREATED \(UTC\) +SCANS +TITLE +DESTINATION$/)
  assert.deepEqual(rows.length, 3)
  assert.match(rows[0] ?? '', /^bad +url +blocked /)
  assert.match(rows[1] ?? '', /^old +url +paused /)
  assert.match(rows[2] ?? '', /^menu +url +active +2026-11-23 12:00 +1 +Menü =1 +https:\/\/shop\.example\/a$/u)
  const codes = async (...args: string[]) => linesOf((await run('--json', ...args)).stdout).map(({ code }) => code)
  // A flag of the command that a setting has, too.
  assert.deepEqual(await codes('--host=www.shop.example'), ['old'])
  assert.deepEqual(await codes('--domain=shop.example'), ['old', 'menu'])
  assert.deepEqual(await codes('--removed'), ['bad'])
  assert.deepEqual(await codes('--suspended'), ['bad'])
  assert.deepEqual(await codes('--paused', '--since=2026-11-23'), ['old'])
  assert.deepEqual(await codes('--code=MENU'), ['menu'])
  assert.equal((await run('--text=nowhere')).stdout, 'no such link\n')
  assert.deepEqual(await run('--text=nowhere', '--json'), { status: 0, stdout: '', stderr: '' })
  const [bad] = linesOf((await run('--json', '--removed')).stdout)
  assert.deepEqual(bad?.removed, {
    reason: 'phishing',
    source: 'operator',
    at: new Date(at).toISOString(),
    expression: null,
  })
  const csv = (await run('--csv', '--code=menu')).stdout.split('\r\n')
  assert.match(csv[0] ?? '', /^code,kind,target,title,/)
  assert.match(csv[1] ?? '', /^menu,url,https:\/\/shop\.example\/a,/)
  const { password } = await server.services.db.read
    .selectFrom('links')
    .select('password')
    .where('code', '=', 'menu')
    .executeTakeFirstOrThrow()
  for (const format of ['--json', '--csv']) {
    const { stdout } = await run(format)
    for (const secret of [shown.token, String(password), 'scrypt']) assert.equal(stdout.includes(secret), false)
  }
})

test('quirl links goes on after its cursor, which standard error names, and refuses what it does not understand', async (t) => {
  const { run } = await serveLinks(t)
  const first = await run('--json', '--limit=2')
  assert.deepEqual(
    linesOf(first.stdout).map(({ code }) => code),
    ['bad', 'old'],
  )
  const [, cursor = ''] = /^quirl: to go on, add (--cursor=newest\.\d+\.\d+)\n$/.exec(first.stderr) ?? []
  const second = await run('--json', '--limit=2', cursor)
  assert.deepEqual([linesOf(second.stdout).map(({ code }) => code), second.stderr], [['menu'], ''])
  for (const [args, reason] of [
    [['--limit=0'], '--limit=0 must be a whole number from 1 to 1000'],
    [['--cursor=x'], '/cursor must be that of an earlier result'],
    [[cursor, '--removed'], '/cursor must be that of an earlier result'],
    [['--host=https://a.example'], '/host must be a host name'],
    [['--domain=a.example:80'], '/domain must be a host name'],
    [['--since=2026-02-30'], '/since must be a day such as'],
    [['--until=tomorrow'], '/until must be a day'],
    [['--kind=x'], '/kind must be one of url, '],
    [['--code=a/b'], '/code must be a code'],
    [[`--text=${'x'.repeat(201)}`], '/text must be 1 to 200 characters'],
    [['--json', '--csv'], 'give --json or --csv'],
    [['import'], '"quirl links" has no "import"'],
    [['export'], 'give one file'],
    [['export', 'x', '--limit=3'], '--limit is for lists'],
  ] as const) {
    const { status, stdout, stderr } = await run(...args)
    assert.deepEqual([status, stdout], [1, ''], args.join(' '))
    assert.ok(stderr.startsWith(`quirl: ${reason}`), `${args.join(' ')}: ${stderr}`)
  }
  const serve = await command('/nonexistent', 'status', '--host=127.0.0.1')
  assert.match(serve.stderr, /no quirl is running/)
})

test('quirl links export writes every link to a new file that only its user can read, or to standard output', async (t) => {
  const { server } = await serveLinks(t)
  const rows = Array.from({ length: 400 }, (_, n) => ({ target: `https://example.com/${n}` }))
  assert.equal((await post(`${server.url}/api/bulk`, rows)).status, 201)
  const folder = temporaryFolder(t)
  const file = join(folder, 'links.jsonl')
  const exported = await command(server.dataDir, 'links', 'export', file)
  assert.deepEqual(exported, { status: 0, stdout: `${file} has 403 links\n`, stderr: '' })
  const links = linesOf(readFileSync(file, 'utf8'))
  assert.equal(new Set(links.map(({ code }) => code)).size, 403)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match((await command(server.dataDir, 'links', 'export', file)).stderr, /exists already/)
  const csv = join(folder, 'links.csv')
  assert.equal((await command(server.dataDir, 'links', 'export', csv, '--csv', '--host=example.com')).status, 0)
  assert.equal(readFileSync(csv, 'utf8').split('\r\n').length, 1 + 400 + 1)
  const piped = await quirl(server.dataDir, 'links', 'export', '-')
  assert.deepEqual([piped.status, piped.stderr], [0, 'quirl: 403 links: the export is whole\n'])
  assert.equal(piped.stdout, readFileSync(file, 'utf8'))
  assert.match(
    (await command(server.dataDir, 'links', 'export', join(folder, 'no/where'))).stderr,
    /cannot be written: ENOENT/,
  )
  writeFileSync(`${join(folder, 'b')}.unfinished`, '')
  assert.match(
    (await command(server.dataDir, 'links', 'export', join(folder, 'b'))).stderr,
    /another export writes it, or was killed/,
  )
  assert.equal(existsSync(join(folder, 'b')), false)
})

/** A service that answers one page, and ends the connection of the next. */
async function halfServe(t: Ending, links: object[] = [{ code: 'a' }]) {
  const folder = temporaryFolder(t)
  let calls = 0
  const server = createServer((request, response) => {
    request.resume()
    if (++calls > 1) return void request.socket.destroy()
    response.end(JSON.stringify({ links, cursor: '1', looked: links.length }))
  }).listen(socketPath(folder))
  await once(server, 'listening')
  undoLater(t, () => void server.close())
  return folder
}

test('an export that the service cannot finish leaves no file, and says on the terminal that it is not whole', async (t) => {
  const folder = await halfServe(t)
  const file = join(folder, 'x')
  const failed = await command(folder, 'links', 'export', file)
  assert.equal(failed.status, 1)
  assert.match(failed.stderr, /^quirl: the export ended after 1 link, and is not whole: cannot reach the quirl/)
  assert.deepEqual([existsSync(file), existsSync(`${file}.unfinished`)], [false, false])
  const piped = await quirl(await halfServe(t), 'links', 'export', '-')
  assert.deepEqual([piped.status, piped.stdout], [1, '{"code":"a"}\n'])
  assert.match(piped.stderr, /not whole/)
})

test('an export whose reader stops reading, or that a signal ends, does not count as whole', async (t) => {
  const folder = await halfServe(t, [{ code: 'x'.repeat(1_000_000) }])
  const run = (...args: string[]) =>
    spawn(process.execPath, [program, 'links', 'export', ...args, `--data-dir=${folder}`], {
      cwd: '/',
      timeout: PATIENCE_MS,
    })
  const cut = run('-')
  cut.stdout.once('data', () => cut.stdout.destroy())
  const [error, [status]] = await Promise.all([text(cut.stderr), once(cut, 'exit')])
  assert.equal(status, 1)
  assert.match(error, /^quirl: the export ended after 0 links, and is not whole: write EPIPE\n$/)

  const file = join(folder, 'x')
  const { promise: second, resolve } = Promise.withResolvers<void>()
  const hanging = temporaryFolder(t)
  let calls = 0
  const server = createServer((request, response) => {
    request.resume()
    if (++calls > 1) return resolve()
    response.end(JSON.stringify({ links: [{ code: 'a' }], cursor: '1', looked: 1 }))
  }).listen(socketPath(hanging))
  undoLater(t, () => server.closeAllConnections())
  undoLater(t, () => void server.close())
  const child = spawn(process.execPath, [program, 'links', 'export', file, `--data-dir=${hanging}`], { cwd: '/' })
  await second
  assert.equal(existsSync(`${file}.unfinished`), true)
  child.kill('SIGTERM')
  const [, signal] = (await once(child, 'exit')) as [null, string]
  assert.deepEqual([signal, existsSync(file), existsSync(`${file}.unfinished`)], ['SIGTERM', false, false])
})
