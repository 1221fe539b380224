import type { Server, Socket } from 'node:net'
import { startThread, type Thread } from '../lib/thread-calls.ts'
import type { ReceiveBufferCalls } from './receive-buffers-thread.ts'

/** Whether a thread can have `node:ffi`: from Node 26.1 on. */
const FLAG = '--experimental-ffi'
const isPossible = process.platform === 'linux' && process.allowedNodeEnvironmentFlags.has(FLAG)
/** How long the thread stays, which takes memory, in milliseconds. */
const IDLE_MS = 60_000

/** Node's: what has the file descriptor. */
interface WithHandle {
  _handle?: { fd?: number } | null
}

let thread: Thread<ReceiveBufferCalls> | undefined
let timer: NodeJS.Timeout | undefined
/** When it has failed, which a build of Node without FFI always does: then it is not started for as long as it would stay. */
let failedAt = -Infinity

/**
 * Bounds what the kernel keeps of a connection that nobody has read yet, or of all that a server will accept (SO_RCVBUF, socket(7)): it
 * would else let it grow to megabytes (`net.ipv4.tcp_rmem`), thirty of one-byte segments behind one that is missing. The kernel allows twice
 * as much, for what its own records take. Linux only, and from Node 26.1 on; elsewhere it does nothing.
 * @param sockets that listen, or are connected
 * @returns whether it is bounded now
 */
export async function boundReceiveBuffers(sockets: readonly (Server | Socket)[], bytes: number): Promise<boolean> {
  const descriptors = sockets.flatMap((each) => (each as WithHandle)._handle?.fd ?? [])
  if (!isPossible || performance.now() - failedAt < IDLE_MS || descriptors.length === 0) return false
  try {
    thread ??= start()
    clearTimeout(timer)
    timer = setTimeout(stop, IDLE_MS).unref()
    return await thread.call('bound', descriptors, bytes)
  } catch (error) {
    // Of those that did not fit among the pending calls, it knows nothing more.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_THREAD_BUSY') failedAt = performance.now()
    return false
  }
}

function start(): Thread<ReceiveBufferCalls> {
  return startThread<ReceiveBufferCalls>(new URL('./receive-buffers-thread.ts', import.meta.url), {
    name: 'the thread that bounds receive buffers',
    flags: [FLAG, '--disable-warning=ExperimentalWarning'],
    heap: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    // A call for each request to a receiver that connects.
    maxPending: 1024,
  })
}

function stop(): void {
  void thread?.terminate()
  thread = undefined
}
