import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createFairPool, slowestOf } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'
import { ofMemory } from '../lib/memory-limit.ts'
import { closeAtOnce } from './close-at-once.ts'
import { createMemoryShare, type MemoryShare } from './memory-guard.ts'

/** Bytes of the headers of all requests that are the only ones of their connections. */
const MAX_HEADERS = ofMemory(64 * 1024 * 1024)
/** Smaller headers are not counted: the number of connections limits them. A browser's take some 3 KiB. */
const SMALL = 4 * 1024
/** What a field takes besides its characters: two strings, and their places in a list and in an object. */
const BYTES_OF_FIELD = 128

/** @returns the bytes that the headers of a request take in memory while it is in progress */
export function headerBytes({ url = '', rawHeaders }: IncomingMessage): number {
  let bytes = url.length + (rawHeaders.length / 2) * BYTES_OF_FIELD
  for (const each of rawHeaders) bytes += each.length
  return bytes
}

export interface HeaderMemory {
  /** To be called with each request that comes while its connection has no other, before it is handled. */
  add: (request: IncomingMessage) => void
  /** To be called when the response of a connection, or the connection itself, has ended. */
  remove: (socket: Socket) => void
  bytes: () => number
  share: MemoryShare
}

/**
 * Limits the memory of large headers of requests in progress, 16 KiB of each connection, which is shared fairly. Past the limit, it
 * closes the connection of the largest holder whose request came first: it has had the most time for it.
 * @param onClosed called for each connection that is closed
 */
export function createHeaderMemory(
  holderOf: (request: IncomingMessage) => Holder,
  onClosed: () => void,
  maxBytes = MAX_HEADERS,
): HeaderMemory {
  const large = createFairPool<Socket>({ capacity: maxBytes, choose: slowestOf })
  const leave = (socket: Socket) => (onClosed(), closeAtOnce(socket))
  return {
    add(request) {
      const bytes = headerBytes(request)
      // Who has left sends nothing more, and nothing says so again.
      if (bytes < SMALL || request.socket.destroyed) return
      for (const leaving of large.put(request.socket, holderOf(request), bytes)) leave(leaving)
    },
    remove: large.remove,
    bytes: large.total,
    share: createMemoryShare({ pool: large, kinds: ['process', 'heap'], most: maxBytes, leave }),
  }
}
