import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test, type TestContext } from 'node:test'
import { startThread, withThread, type Thread, type ThreadOptions } from './thread-calls.ts'

const helper = new URL('./thread-calls.ts', import.meta.url).href

/** A thread whose calls are written as an object of JavaScript. */
const moduleOf = (calls: string, transfer = '() => []') =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { workerData } from 'node:worker_threads'
      import { answerCalls, notify } from ${JSON.stringify(helper)}
      answerCalls(${calls}, ${transfer})
    `)}`,
  )

const calls = `{
  add: (a, b) => a + b,
  data: () => workerData,
  hold: (value) => new Promise((resolve) => (globalThis.release = () => resolve(value))),
  release: () => globalThis.release(),
  never: () => new Promise(() => {}),
  steps: (...steps) => steps.forEach(notify),
  fail: () => { throw Object.assign(new RangeError('too much'), { code: 'ERR_X', errcode: 5, inner: { deep: 1 } }) },
  throwText: () => { throw 'a text' },
  function: () => () => 1,
  bytes: () => new Uint8Array([1, 2, 3]),
  exit: () => process.exit(1),
  crash: () => { setTimeout(() => { throw new Error('uncaught') }, 0); return new Promise(() => {}) },
}`

interface ThreadCalls extends Record<string, (...args: never[]) => unknown> {
  add: (a: number, b: number) => number
  data: () => unknown
  hold: <T>(value: T) => Promise<T>
  release: () => void
  never: () => Promise<void>
  steps: (...steps: string[]) => void
  fail: () => void
  throwText: () => void
  function: () => unknown
  bytes: () => Uint8Array
  exit: () => Promise<void>
  crash: () => Promise<void>
}

function start(t: TestContext, options: Partial<ThreadOptions> = {}): Thread<ThreadCalls> {
  const thread = startThread<ThreadCalls>(moduleOf(calls), { name: 'the thread', ...options })
  t.after(() => thread.terminate())
  return thread
}

test('each call gets its own result, also when a later one finishes first', async (t) => {
  const thread = start(t, { data: { of: 'the caller' } })
  const slow = thread.call('hold', 'slow')
  const done: unknown[] = []
  void slow.then((value) => done.push(value))
  done.push(await thread.call('add', 1, 2))
  await thread.call('release')
  await slow
  assert.deepEqual(done, [3, 'slow'])
  assert.deepEqual(await thread.call('data'), { of: 'the caller' })
})

test('an error keeps its class, its message and its codes, and the thread continues', async (t) => {
  const thread = start(t)
  const error: unknown = await thread.call('fail').catch((thrown: unknown) => thrown)
  assert.ok(error instanceof RangeError)
  assert.equal(error.message, 'too much')
  assert.deepEqual(Object.entries(error), Object.entries({ code: 'ERR_X', errcode: 5 }))
  assert.equal(await thread.call('throwText').catch((thrown: unknown) => thrown), 'a text')
  await assert.rejects(thread.call('function'), { name: 'DataCloneError' })
  assert.equal(await thread.call('add', 1, 1), 2)
})

test('a call whose arguments cannot be cloned is rejected, and does not stay pending', async (t) => {
  const thread = start(t, { maxPending: 1 })
  await assert.rejects(
    thread.call('hold', () => 1),
    { name: 'DataCloneError' },
  )
  assert.equal(await thread.call('add', 1, 1), 2)
})

test('calls past the bound are rejected at once, and accepted again after a result', async (t) => {
  const thread = start(t, { maxPending: 2 })
  const waiting = [thread.call('add', 1, 1), thread.call('add', 2, 2)]
  await assert.rejects(thread.call('add', 3, 3), { code: 'ERR_THREAD_BUSY' })
  assert.deepEqual(await Promise.all(waiting), [2, 4])
  assert.equal(await thread.call('add', 3, 3), 6)
})

for (const [how, end, reason] of [
  ['exits', (thread: Thread<ThreadCalls>) => thread.call('exit'), /^the thread has ended$/],
  ['throws outside of a call', (thread: Thread<ThreadCalls>) => thread.call('crash'), /^uncaught$/],
  ['is terminated', (thread: Thread<ThreadCalls>) => thread.terminate(), /^the thread has ended$/],
] as const) {
  test(`the calls of a thread that ${how} are rejected, as are later ones, and onEnd is called once`, async (t) => {
    const ends: unknown[] = []
    const thread = start(t, { onEnd: (error) => ends.push(error) })
    await thread.call('add', 1, 1)
    const waiting = thread.call('never')
    void end(thread).catch(() => {})
    await assert.rejects(waiting, { message: reason })
    await thread.terminate()
    await assert.rejects(thread.call('add', 1, 1), { message: reason })
    assert.equal(ends.length, 1)
  })
}

test('a thread whose module cannot be loaded rejects its calls', async (t) => {
  const broken = startThread<ThreadCalls>(moduleOf('{}, nothing'), { name: 'the thread' })
  t.after(() => broken.terminate())
  await assert.rejects(broken.call('add', 1, 1), { name: 'ReferenceError' })
})

test('notices arrive in order, and before the result', async (t) => {
  const notices: unknown[] = []
  const thread = start(t, { onNotice: (notice) => notices.push(notice) })
  await thread.call('steps', 'one', 'two')
  assert.deepEqual(notices, ['one', 'two'])
})

test('a result transfers what `transfer` lists, and copies the rest', async (t) => {
  const thread = startThread<ThreadCalls>(
    moduleOf(calls, '(value) => (value instanceof Uint8Array ? [value.buffer] : [])'),
    {
      name: 'the thread',
    },
  )
  t.after(() => thread.terminate())
  assert.deepEqual(await thread.call('bytes'), new Uint8Array([1, 2, 3]))
  assert.equal(await thread.call('add', 1, 1), 2)
})

test('`withThread` terminates the thread after its use, and when its signal aborts', async () => {
  const options = { name: 'the thread' }
  let used: Thread<ThreadCalls> | undefined
  const sum = await withThread(moduleOf(calls), options, (thread: Thread<ThreadCalls>) =>
    (used = thread).call('add', 1, 2),
  )
  assert.equal(sum, 3)
  await assert.rejects(used?.call('add', 1, 1) ?? Promise.resolve(), /has ended/)
  const closing = new AbortController()
  const aborted = withThread(moduleOf(calls), { ...options, signal: closing.signal }, (thread: Thread<ThreadCalls>) =>
    thread.call('never'),
  )
  closing.abort()
  await assert.rejects(aborted, /has ended/)
  const late = withThread(moduleOf(calls), { ...options, signal: closing.signal }, (thread: Thread<ThreadCalls>) =>
    thread.call('never'),
  )
  await assert.rejects(late, /has ended/)
})

test('a pending call keeps the process running, and a thread without calls does not', () => {
  const script = `
    const { startThread } = await import(${JSON.stringify(helper)})
    const thread = startThread(new URL(${JSON.stringify(moduleOf(calls).href)}), { name: 'the thread' })
    thread.call('add', 1, 2).then(console.log)
  `
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  assert.deepEqual({ stdout, status }, { stdout: '3\n', status: 0 })
})
