import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

const linux = process.platform === 'linux'

test(
  'background work has a lower priority, and the thread that serves requests has not',
  { skip: !linux && 'priorities belong to threads on Linux only' },
  async () => {
    const module = new URL('./background-thread.ts', import.meta.url).href
    const worker = new Worker(
      `const { readlinkSync } = require('node:fs')
       const { getPriority } = require('node:os')
       import(${JSON.stringify(module)}).then(({ lowerPriority }) => {
         lowerPriority()
         const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
         require('node:worker_threads').parentPort.postMessage(getPriority(thread))
       })`,
      { eval: true },
    )
    const before = getPriority(process.pid)
    const [lowered] = (await once(worker, 'message')) as [number]
    assert.ok(lowered > before)
    assert.equal(getPriority(process.pid), before)
  },
)

test(
  'background work of a process of low priority has a lower one',
  { skip: !linux && 'priorities belong to threads on Linux only' },
  () => {
    const module = new URL('./background-thread.ts', import.meta.url).href
    const script = `import(${JSON.stringify(module)}).then(({ lowerPriority }) => {
      const os = require('node:os')
      lowerPriority()
      // The calling thread is the main one: its priority is the one that was lowered.
      console.log(os.getPriority(process.pid))
    })`
    for (const [own, lowered] of [
      [10, 15],
      [19, 19],
    ] as const) {
      const nicer = own - getPriority(process.pid)
      const { stdout } = spawnSync('nice', [`-n${nicer}`, process.execPath, '-e', script], { encoding: 'utf8' })
      assert.equal(Number(stdout), lowered)
    }
  },
)

test(
  'the threads of V8 have a lower priority, and the main thread has not',
  { skip: !linux && 'priorities belong to threads on Linux only' },
  () => {
    const module = new URL('./background-thread.ts', import.meta.url).href
    const script = `import(${JSON.stringify(module)}).then(({ lowerV8Priority }) => {
      const { readdirSync, readFileSync } = require('node:fs')
      const os = require('node:os')
      const own = os.getPriority(process.pid)
      lowerV8Priority()
      const threads = readdirSync('/proc/self/task').map((thread) => ({
        name: readFileSync('/proc/self/task/' + thread + '/comm', 'utf8').trim(),
        nicer: os.getPriority(Number(thread)) - own,
      }))
      console.log(JSON.stringify(threads))
    })`
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
    const threads = JSON.parse(stdout) as { name: string; nicer: number }[]
    const lowered = threads.filter(({ nicer }) => nicer === 5)
    assert.ok(lowered.length > 0, stdout)
    assert.ok(
      lowered.every(({ name }) => name.includes('V8')),
      stdout,
    )
    assert.ok(threads.some(({ name, nicer }) => name.includes('Main') && nicer === 0))
  },
)
