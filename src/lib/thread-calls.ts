import { parentPort, Worker, type ResourceLimits, type Transferable } from 'node:worker_threads'

/** What a thread can be asked for: functions by their names. Arguments and results are copied, as messages are. */
export type Calls = Record<string, (...args: never[]) => unknown>

interface Call {
  id: number
  name: string
  args: unknown[]
}
type Reply = { id: number; value: unknown } | { id: number; error: unknown; fields: object } | { notice: unknown }

/** A thread, seen from the thread that has started it. */
export interface Thread<C extends Calls> {
  /** Rejects with what the function throws, with its code, and when the thread ends before it has answered. */
  call: <N extends keyof C>(name: N, ...args: Parameters<C[N]>) => Promise<Awaited<ReturnType<C[N]>>>
  /** Microseconds of the processor that the thread has used; rejects when it has ended. */
  cpuUsage: () => Promise<{ user: number; system: number }>
  /** Ends the thread, whatever it is doing; resolves when it has ended. */
  terminate: () => Promise<void>
}

export interface ThreadOptions {
  /** What messages of errors call the thread. */
  name: string
  /** What the thread has as its `workerData`. */
  data?: unknown
  /** Without it, V8 lets the thread's heap grow with the machine's memory. */
  heap?: ResourceLimits
  /** How many calls may wait for their answers (100). */
  most?: number
  /** Called with each notice that the thread sends by `notify`. */
  onNotice?: (notice: unknown) => void
  /** Called once, when the thread ends for whatever reason, after its calls were rejected. */
  onEnd?: (reason: unknown) => void
}

/**
 * Starts a thread that answers calls. It keeps the process running only while a call waits.
 * @param module a `.ts` beside the caller's, which runs `answerCalls`; compiled, both are JavaScript
 */
export function startThread<C extends Calls>(module: URL, options: ThreadOptions): Thread<C> {
  const { name, data, heap, most = 100, onNotice, onEnd } = options
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let ended: { reason: unknown } | undefined

  const worker = new Worker(compiledOf(module), { workerData: data, ...(heap && { resourceLimits: heap }) })
  worker.unref()
  worker.on('message', (reply: Reply) => {
    if ('notice' in reply) return onNotice?.(reply.notice)
    const call = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (waiting.size === 0) worker.unref()
    if ('error' in reply) call?.reject(withFields(reply.error, reply.fields))
    else call?.resolve(reply.value)
  })
  // An uncaught error comes first, then the exit.
  worker.on('error', end)
  worker.on('exit', () => end(new Error(`${name} has ended`)))

  function end(reason: unknown): void {
    if (ended !== undefined) return
    ended = { reason }
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
    onEnd?.(reason)
  }

  async function call(name: string, args: unknown[]): Promise<unknown> {
    if (ended !== undefined) throw ended.reason
    if (waiting.size >= most) {
      const detail = `${options.name} has ${most} calls to answer already`
      throw Object.assign(new Error(detail), { code: 'ERR_THREAD_BUSY' })
    }
    const id = ++lastId
    worker.postMessage({ id, name, args } satisfies Call)
    const answer = Promise.withResolvers<unknown>()
    waiting.set(id, answer)
    worker.ref()
    return answer.promise
  }

  return {
    call: (name, ...args) => call(String(name), args) as never,
    cpuUsage: () => worker.cpuUsage(),
    terminate: async () => void (await worker.terminate()),
  }
}

/** Uses a thread, and ends it afterwards, or when the signal says so: its calls are rejected then. */
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
 * Answers the calls of the thread that has started this one: each when it comes, also while another waits for a promise.
 * @param transfer what of a result is handed over instead of copied
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

/** Sends a notice, beside the answers, to the thread that has started this one. */
export function notify(notice: unknown): void {
  portOf().postMessage({ notice } satisfies Reply)
}

function portOf() {
  if (parentPort === null) throw new Error('this module runs on a thread of its own')
  return parentPort
}

function compiledOf(module: URL): URL {
  return import.meta.url.endsWith('.ts') ? module : new URL(module.href.replace(/\.ts$/, '.js'))
}

/** What a message leaves out of an error: its codes, by which the other side tells a busy store from a broken one. */
function fieldsOf(error: unknown): object {
  const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  return Object.fromEntries(Object.entries(error instanceof Error ? error : {}).filter(([, value]) => isPlain(value)))
}

function withFields(error: unknown, fields: object): unknown {
  return error instanceof Error ? Object.assign(error, fields) : error
}
