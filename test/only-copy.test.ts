// What only one answer has, a token or a key, is not lost when that answer cannot be printed.
import assert from 'node:assert/strict'
import { spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { heldLink, holdCreations } from './support/held-service.ts'
import { poll } from './support/poll.ts'
import { program } from './support/program.ts'
import { startServer } from './support/server.ts'

interface Options {
  server: string
  stdio?: StdioOptions
  env?: Record<string, string>
}

/** Starts a command as its user does. */
function run(t: TestContext, args: string[], { server, stdio = 'pipe', env = {} }: Options) {
  const home = temporaryFolder(t)
  const whole = { PATH: process.env['PATH'], XDG_CONFIG_HOME: home, QUIRL_SERVER: server, ...env }
  const child = spawn(process.execPath, [program, ...args], { stdio, env: whole })
  const exited = once(child, 'close') as Promise<[code: number | null, signal: string | null]>
  undoLater(t, async () => {
    child.kill('SIGKILL')
    await exited
  })
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (text) => (stdout += String(text)))
  child.stderr?.on('data', (text) => (stderr += String(text)))
  const kept = () =>
    (JSON.parse(readFileSync(join(home, 'quirl/tokens.json'), 'utf8')) as Record<string, Record<string, string>>)[
      server
    ]
  const collections = () => readFileSync(join(home, 'quirl/collections.json'), 'utf8')
  return { child, exited, stdout: () => stdout, stderr: () => stderr, kept, collections }
}

type Ran = ReturnType<typeof run>

/** Nobody reads what the command prints. */
function runUnread(t: TestContext, args: string[], options: Options): Ran {
  const ran = run(t, args, options)
  ran.child.stdout?.destroy()
  return ran
}

/** Waits until a signal was noticed. */
async function stop({ child, stderr }: Ran): Promise<void> {
  child.kill('SIGTERM')
  await poll(() => stderr().includes('finishing what has begun'), stderr)
}

/** Nothing can be kept. */
const nowhere = { XDG_CONFIG_HOME: '', HOME: '' }

const target = 'https://example.com/menu'

const message = (content: object) => `${JSON.stringify({ jsonrpc: '2.0', ...content })}\n`
const hello =
  message({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }) + message({ method: 'notifications/initialized' })
const call = message({ id: 2, method: 'tools/call', params: { name: 'create_link', arguments: { target } } })

/** The result of the creation. */
function answerIn(stdout: string) {
  const messages = stdout.split('\n').filter((line) => line !== '')
  const answers = messages.map((line) => JSON.parse(line) as { id?: number; result?: { structuredContent?: object } })
  return answers.find(({ id }) => id === 2)?.result?.structuredContent as typeof heldLink | undefined
}

test('an assistant that closes its end right after the call still receives the link', async (t) => {
  const { url } = await startServer(t)
  const { child, exited, stdout, stderr } = run(t, ['mcp'], { server: url })
  child.stdin?.end(hello + call)
  assert.deepEqual(await exited, [0, null])
  assert.equal(stderr(), '')
  const token = answerIn(stdout())?.token
  const details = await fetch(`${url}/api/manage`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(((await details.json()) as { target?: string }).target, target)
})

test('a call that has begun is answered after a signal, and a second signal ends the program at once', async (t) => {
  for (const isPatient of [true, false]) {
    const service = await holdCreations(t)
    const assistant = run(t, ['mcp'], { server: service.url })
    assistant.child.stdin?.write(hello + call)
    await service.requested
    await stop(assistant)
    if (isPatient) service.release()
    else assistant.child.kill('SIGTERM')
    assert.deepEqual(await assistant.exited, isPatient ? [0, null] : [null, 'SIGTERM'])
    assert.equal(answerIn(assistant.stdout())?.token, isPatient ? heldLink.token : undefined)
  }
})

/** @param leave what the assistant does while its call is under way */
async function leaveBeforeAnswer(t: TestContext, leave: (assistant: Ran) => unknown): Promise<void> {
  const service = await holdCreations(t)
  const assistant = run(t, ['mcp'], { server: service.url })
  const { child, exited, stdout, stderr, kept } = assistant
  child.stdin?.write(hello + call)
  await service.requested
  await leave(assistant)
  child.stdin?.end()
  service.release()
  assert.deepEqual(await exited, [1, null])
  assert.match(
    stderr(),
    /^quirl: an answer could not be written: http:\/\/q\.test\/menu was created; its token is kept/,
  )
  assert.equal(answerIn(stdout()), undefined)
  assert.deepEqual(kept(), { menu: heldLink.token })
}

test('the token of a link is kept when the assistant reads no answer', async (t) => {
  await leaveBeforeAnswer(t, ({ child }) => child.stdout?.destroy())
})

test('the token of a link is kept when the assistant has cancelled the call', async (t) => {
  const cancel = message({ method: 'notifications/cancelled', params: { requestId: 2 } })
  await leaveBeforeAnswer(t, async ({ child, stdout, stderr }) => {
    child.stdin?.write(cancel + message({ id: 3, method: 'ping' }))
    await poll(() => stdout().includes('"id":3'), stderr)
  })
})

test('an assistant receives the token also when it cannot be kept, and is told why', async (t) => {
  const service = await holdCreations(t)
  service.release()
  const { child, exited, stdout } = run(t, ['mcp', '--keep'], { server: service.url, env: nowhere })
  child.stdin?.end(hello + call)
  await exited
  assert.equal(answerIn(stdout())?.token, heldLink.token)
  assert.match(stdout(), /the link was created, but tokens cannot be kept: neither/)
})

test('the token of "quirl shorten" is kept when nobody reads the output, or the disk is full', async (t) => {
  const { url } = await startServer(t)
  const full = openSync('/dev/full', 'w')
  const runs = [
    runUnread(t, ['shorten', target], { server: url }),
    run(t, ['shorten', target], { server: url, stdio: ['ignore', full, 'pipe'] }),
  ]
  closeSync(full)
  for (const { exited, stderr, kept } of runs) {
    assert.deepEqual(await exited, [1, null])
    assert.match(
      stderr(),
      /^(?:quirl: others cannot reach .*\n)?quirl: cannot print: .*; http.* was created; its token is kept in .*tokens\.json\n$/,
    )
    assert.equal(Object.keys(kept() ?? {}).length, 1)
  }
})

test('the token of a collection is kept when nobody reads it, whether it is new or replaces one, and is shown where it cannot be', async (t) => {
  const { url: server } = await startServer(t)
  const created = runUnread(t, ['collection', 'create', '--name=Shop'], { server })
  assert.equal((await created.exited)[0], 1)
  assert.match(created.stderr(), /a collection was created; its token is kept as "shop" in .*collections\.json/)
  const token = /collection_[\w-]{43}/.exec(created.collections())?.[0] ?? ''

  const rotated = runUnread(t, ['collection', 'rotate', token], { server })
  await rotated.exited
  assert.match(rotated.stderr(), /the collection has a new token; its token is kept as "rotated"/)
  const renewed = /collection_[\w-]{43}/.exec(rotated.collections())?.[0]
  assert.equal((await fetch(`${server}/api/collections/${renewed}`)).status, 200)
  assert.equal((await fetch(`${server}/api/collections/${token}`)).status, 404)

  const lost = runUnread(t, ['collection', 'create'], { server, env: nowhere })
  await lost.exited
  assert.match(lost.stderr(), /cannot be kept either .*:\nhttp\S+\/c\/collection_[\w-]{43}\n/)
})

test('where a token cannot be kept either, the page of the link is on standard error', async (t) => {
  const { url } = await startServer(t)
  const { exited, stderr } = runUnread(t, ['shorten', target], { server: url, env: nowhere })
  assert.deepEqual(await exited, [1, null])
  assert.match(stderr(), /cannot be kept either .*\nhttp:\/\/[^/]+\/m\/[\w-]{43}\n$/)
})

test('"quirl shorten" prints the link that it has requested before a signal', async (t) => {
  const service = await holdCreations(t)
  const shorten = run(t, ['shorten', target], { server: service.url })
  await service.requested
  await stop(shorten)
  service.release()
  assert.deepEqual(await shorten.exited, [0, null])
  assert.equal(shorten.stdout(), `${heldLink.short_url}\n${heldLink.manage_url}\n`)
})

test('"quirl bulk" creates nothing when its header cannot be printed, and keeps the tokens of rows that cannot', async (t) => {
  const server = await startServer(t)
  const table = join(temporaryFolder(t), 'table.csv')
  writeFileSync(table, `target\n${target}\n${target}\n`)
  const asCsv = runUnread(t, ['bulk', table], { server: server.url })
  assert.deepEqual(await asCsv.exited, [1, null])
  assert.match(asCsv.stderr(), /the output cannot be written: .*; nothing was created\n$/)
  const asJson = runUnread(t, ['bulk', table, '--json'], { server: server.url })
  assert.deepEqual(await asJson.exited, [1, null])
  assert.match(asJson.stderr(), /the output cannot be written: .*; 2 links were created; their tokens are kept in /)
  assert.equal(Object.keys(asJson.kept() ?? {}).length, 2)
  assert.match((await command(server.dataDir, 'links', '--json')).stdout, /^(.*\n){2}$/, 'no others were created')
})

test('an access code that cannot be printed is removed again', async (t) => {
  const server = await startServer(t, { CREATE: 'token' })
  const args = ['keys', 'add', 'assistant', `--data-dir=${server.dataDir}`]
  const { exited, stderr } = runUnread(t, args, { server: server.url })
  assert.deepEqual(await exited, [1, null])
  assert.match(stderr(), /the access code of assistant is removed\n$/)
  assert.doesNotMatch((await command(server.dataDir, 'keys', 'list')).stdout, /assistant/)
})
