import type { Socket } from 'node:net'
import { createFairPool, slowestOf } from '../lib/fair-pool.ts'
import { asHolder } from '../lib/holder.ts'
import { clientOf } from './client-address.ts'
import { createMemoryShare, type MemoryShare } from './memory-guard.ts'
import { receiveBuffers } from './tcp-queues.ts'

declare module 'node:net' {
  interface Socket {
    /** What the kernel may have of it besides what its tables say, in bytes. */
    hiddenBytes?: number
  }
}

/** The kernel lets a buffer grow to some four times of what was read from it. */
const GROWTH = 4
/** What all connections may have hidden at first: more than any machine has for them, since most have nothing. */
const MOST = 2 ** 40
/** What remains for them while memory is short: some hundreds of connections that have sent little. */
const LEAST = 32 * 1024 * 1024
/** From which part of what there is for connections on they give way. */
const GIVE_WAY_FROM = 0.6

export interface HiddenMemory {
  /** To be called again and again with each open connection. */
  note: (socket: Socket) => void
  /** To be called when one is closed. */
  remove: (socket: Socket) => void
  share: MemoryShare
}

/**
 * The kernel keeps of a connection what has come behind bytes that are missing, up to as much as it has buffers for
 * (`net.ipv4.tcp_rmem`), and no table says how much that is: 85 connections had 1.1 GB. What it can be follows from what was read of
 * it. While what the kernel has for connections runs short, those of the largest holder are reset, the one first of which that has
 * changed least lately.
 * @param isProxied whether a connection is a trusted proxy's, which sends nothing out of order
 */
export function createHiddenMemory(
  isProxied: (socket: Socket) => boolean,
  reset: (socket: Socket) => void,
): HiddenMemory {
  const pool = createFairPool<Socket>({ capacity: MOST, choose: slowestOf })
  const { fresh, most } = receiveBuffers()
  return {
    note(socket) {
      const { bytesRead } = socket._parent ?? socket
      // In steps: a connection that is in use changes at each look.
      const steps = Math.ceil(Math.log2(1 + (GROWTH * bytesRead) / fresh))
      const bytes = Math.min(most, fresh * 2 ** steps)
      if (bytes === socket.hiddenBytes || socket.destroyed) return
      socket.hiddenBytes = bytes
      if (isProxied(socket)) return
      pool.put(socket, asHolder(clientOf(socket.remoteAddress ?? '')), bytes).forEach(reset)
    },
    remove: pool.remove,
    share: createMemoryShare({ pool, kinds: ['sockets'], from: GIVE_WAY_FROM, most: MOST, least: LEAST, leave: reset }),
  }
}
