import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { poll } from '../../test/support/poll.ts'
import { createRepeatedProgram } from './repeated-program.ts'

const patient = { runMs: 60_000, idleMs: 60_000 }

/** Runs a script of the shell again and again. */
function repeat(t: TestContext, script: string, times: Partial<typeof patient> = {}) {
  const run = createRepeatedProgram(['sh', '-c', script], { ...patient, ...times })
  const closing = new AbortController()
  t.after(() => closing.abort())
  const lines: string[] = []
  return {
    closing,
    lines,
    run: async () => {
      lines.length = 0
      await run(async (line) => void lines.push(line), closing.signal)
      return [...lines]
    },
  }
}

const isRunning = (pid: string | undefined) => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

test('a program is run again and again by one shell, and all of its lines are read', async (t) => {
  const { run } = repeat(t, 'echo $PPID; seq 20000')
  const [first, second] = [await run(), await run()]
  assert.deepEqual([first.length, first.at(-1)], [20_001, '20000'])
  assert.deepEqual(second, first)
})

test('the shell ends when it is not asked for a while, and there is another one after that', async (t) => {
  const { run } = repeat(t, 'echo $PPID', { idleMs: 1 })
  const [first] = await run()
  await poll(() => !isRunning(first))
  const [second] = await run()
  assert.notEqual(second, first)
})

test('a program that fails is an error, and can be run again', async (t) => {
  const file = join(temporaryFolder(t), 'works')
  const { run, lines } = repeat(t, `echo begun; test -e ${file}`)
  await assert.rejects(run(), /has failed/)
  assert.deepEqual(lines, ['begun'])
  writeFileSync(file, '')
  assert.deepEqual(await run(), ['begun'])
})

test('a program that is missing, or takes too long, is an error', async (t) => {
  const missing = createRepeatedProgram(['/nowhere/program'], patient)
  await assert.rejects(
    missing(async () => {}, new AbortController().signal),
    /has failed/,
  )
  await assert.rejects(repeat(t, 'sleep 60', { runMs: 1 }).run(), /took too long/)
})

test('what the reader of its lines throws ends the run', async (t) => {
  const run = createRepeatedProgram(['sh', '-c', 'echo a; sleep 60'], patient)
  const closing = new AbortController()
  t.after(() => closing.abort())
  const refuse = () => Promise.reject(new Error('no such line'))
  await assert.rejects(run(refuse, closing.signal), /no such line/)
})

test('its signal ends the run, and the shell that waits for the next one', async (t) => {
  const waiting = repeat(t, 'echo $PPID')
  const [pid] = await waiting.run()
  assert.equal(isRunning(pid), true)
  waiting.closing.abort()
  await poll(() => !isRunning(pid))
  const running = repeat(t, 'echo begun; sleep 60')
  const run = running.run()
  await poll(() => running.lines.length === 1)
  running.closing.abort()
  await assert.rejects(run, { name: 'AbortError' })
  await assert.rejects(running.run(), { name: 'AbortError' })
})
