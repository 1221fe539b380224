import { Worker } from 'node:worker_threads'
import type { AnswerMessage, CallMessage, ThreadCalls, ThreadOptions } from './warehouse-thread.ts'

/** The warehouse's thread, seen from the thread of the visits. */
export interface WarehouseClient {
  call: <N extends keyof ThreadCalls>(
    name: N,
    ...args: Parameters<ThreadCalls[N]>
  ) => Promise<Awaited<ReturnType<ThreadCalls[N]>>>
  close: () => Promise<void>
}

/** V8 would let the thread's heap grow with the machine's memory; a fold needs no more than this (MiB). */
const HEAP = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 }

/** How long the thread may take to close its files. What it is at then is undone by the next start. */
const CLOSE_MS = 1000

/**
 * Starts the thread. Should it end by itself, the calls that wait fail, `onFailure` is told, and the next call starts it
 * anew: what it had not kept is still in the journal.
 */
export function startWarehouse(options: ThreadOptions, onFailure: (error: unknown) => void): WarehouseClient {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: unknown) => void }>()
  let lastId = 0
  let worker: Worker | undefined
  let ended: Promise<unknown> | undefined
  let isClosed = false

  function start(): Worker {
    // Compiled, this file and the thread's are JavaScript.
    const file = import.meta.url.endsWith('.ts') ? './warehouse-thread.ts' : './warehouse-thread.js'
    const started = new Worker(new URL(file, import.meta.url), { workerData: options, resourceLimits: HEAP })
    const fail = (error: unknown) => {
      if (worker !== started) return
      worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      onFailure(error)
    }
    started.on('message', (answer: AnswerMessage) => {
      const caller = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('error' in answer) caller?.reject(Object.assign(answer.error as object, answer.fields))
      else caller?.resolve(answer.value as never)
    })
    started.on('error', fail)
    ended = new Promise<void>((resolve) => started.once('exit', () => resolve()))
    started.on('exit', () => fail(new Error("the warehouse's thread has ended")))
    return started
  }

  const call: WarehouseClient['call'] = (name, ...args) =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new Error('the warehouse is closed'))
      worker ??= start()
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, name, args } satisfies CallMessage)
    })

  return {
    call,
    async close() {
      const ending = worker
      // A thread that has ended by itself is not started again to be told to.
      const told = ending === undefined ? undefined : call('close')
      isClosed = true
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))
      try {
        await Promise.race([told, late])
      } finally {
        worker = undefined
        // One that failed may not have let go of its files yet.
        await Promise.race([Promise.all([ending?.terminate(), ended]), late])
        clearTimeout(timer)
      }
    },
  }
}
