import { parentPort, Worker, type ResourceLimits, type Transferable } from 'node:worker_threads'

/** Functions that a thread offers, by name. Arguments and results are copied like messages. */
export type Calls = Record<string, (...args: never[]) => unknown>

interface Call {
  id: number
  name: string
  args: unknown[]
}
type Reply = { id: number; value: unknown } | { id: number; error: unknown; fields: object } | { notice: unknown }

/** A thread, from the perspective of the thread that has started it. */
export interface Thread<C extends Calls> {
  /** Rejects with the error that the function throws, including its code, and when the thread ends before it returns. */
  call: <N extends keyof C>(name: N, ...args: Parameters<C[N]>) => Promise<Awaited<ReturnType<C[N]>>>
  /** Microseconds of CPU time that the thread has used; rejects when it has ended. */
  cpuUsage: () => Promise<{ user: number; system: number }>
  /** Ends the thread, whatever it is doing; resolves when it has ended. */
  terminate: () => Promise<void>
}

export interface ThreadOptions {
  /** The name of the thread in error messages. */
  name: string
  /** The `workerData` of the thread. */
  data?: unknown
  /** By default, V8 lets the thread's heap grow with the machine's memory. */
  heap?: ResourceLimits
  /** Of Node, for this thread alone. */
  flags?: string[]
  /** Calls that may be pending (100). */
  maxPending?: number
  /** Called with each notice that the thread sends by `notify`. */
  onNotice?: (notice: unknown) => void
  /** Called once, when the thread ends for whatever reason, after its calls were rejected. */
  onEnd?: (reason: unknown) => void
}

/**
 * Starts a thread that answers calls. It keeps the process running only while a call is pending.
 * @param module a `.ts` file that runs `answerCalls`; once compiled, it and the caller are JavaScript
 */
export function startThread<C extends Calls>(module: URL, options: ThreadOptions): Thread<C> {
  const { data, heap, flags } = options
  const worker = new Worker(compiledOf(module), {
    workerData: data,
    ...(heap && { resourceLimits: heap }),
    ...(flags && { execArgv: flags }),
  })
  worker.unref()
  const call = createCall(worker, options)
  return {
    call: (name, ...args) => call(String(name), args) as never,
    cpuUsage: () => worker.cpuUsage(),
    terminate: async () => void (await worker.terminate()),
  }
}

function createCall(
  worker: Worker,
  { name: thread, maxPending = 100, onNotice, onEnd }: ThreadOptions,
): (name: string, args: unknown[]) => Promise<unknown> {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let ended: { reason: unknown } | undefined

  worker.on('message', (reply: Reply) => {
    if ('notice' in reply) return onNotice?.(reply.notice)
    const call = pending.get(reply.id)
    pending.delete(reply.id)
    if (pending.size === 0) worker.unref()
    if ('error' in reply) call?.reject(withFields(reply.error, reply.fields))
    else call?.resolve(reply.value)
  })
  // An uncaught error is followed by the exit.
  worker.on('error', end)
  worker.on('exit', () => end(new Error(`${thread} has ended`)))

  function end(reason: unknown): void {
    if (ended !== undefined) return
    ended = { reason }
    for (const { reject } of pending.values()) reject(reason)
    pending.clear()
    onEnd?.(reason)
  }

  return async (name, args) => {
    if (ended !== undefined) throw ended.reason
    if (pending.size >= maxPending) {
      const detail = `${thread} has ${maxPending} pending calls already`
      throw Object.assign(new Error(detail), { code: 'ERR_THREAD_BUSY' })
    }
    const id = ++lastId
    worker.postMessage({ id, name, args } satisfies Call)
    const result = Promise.withResolvers<unknown>()
    pending.set(id, result)
    worker.ref()
    return result.promise
  }
}

/** Uses a thread, and terminates it afterwards, or when the signal aborts, which rejects its calls. */
export async function withThread<C extends Calls, T>(
  module: URL,
  { signal, ...options }: ThreadOptions & { signal?: AbortSignal },
  use: (thread: Thread<C>) => Promise<T>,
): Promise<T> {
  const thread = startThread<C>(module, options)
  const stop = () => void thread.terminate()
  signal?.addEventListener('abort', stop)
  if (signal?.aborted === true) stop()
  try {
    return await use(thread)
  } finally {
    signal?.removeEventListener('abort', stop)
    await thread.terminate()
  }
}

/**
 * Answers the calls of the thread that has started this one: each on arrival, also while another awaits a promise.
 * @param transfer lists the parts of a result to transfer instead of copying
 */
export function answerCalls<C extends Calls>(
  calls: C,
  transfer: (value: Awaited<ReturnType<C[keyof C]>>) => Transferable[] = () => [],
): void {
  const port = portOf()
  const answer = async ({ id, name, args }: Call) => {
    try {
      const value = await (calls[name] as (...values: unknown[]) => unknown)(...args)
      port.postMessage({ id, value } satisfies Reply, transfer(value as never))
    } catch (error) {
      port.postMessage({ id, error, fields: fieldsOf(error) } satisfies Reply)
    }
  }
  port.on('message', (call: Call) => void answer(call))
}

/** Sends a notice to the thread that has started this one. */
export function notify(notice: unknown): void {
  portOf().postMessage({ notice } satisfies Reply)
}

function portOf() {
  if (parentPort === null) throw new Error('this module must run on a worker thread')
  return parentPort
}

function compiledOf(module: URL): URL {
  return import.meta.url.endsWith('.ts') ? module : new URL(module.href.replace(/\.ts$/, '.js'))
}

/** Fields of an error that messages drop: its codes, by which the caller distinguishes a busy store from a broken one. */
function fieldsOf(error: unknown): object {
  const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  return Object.fromEntries(Object.entries(error instanceof Error ? error : {}).filter(([, value]) => isPlain(value)))
}

function withFields(error: unknown, fields: object): unknown {
  return error instanceof Error ? Object.assign(error, fields) : error
}
