import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Where ports are handed out: below those that systems give to whoever asks for any (from 32768 on Linux, from 49152
 * elsewhere, RFC 6335), so that neither a connection nor a server of a test on port 0 can take one that was handed out.
 */
const RANGE = { from: 12_000, to: 32_000 }
const BLOCK = 100

/** The ports that only this process hands out; the first of a block is held, and tells other processes so. */
let claimed: { next: number; end: number } | undefined

/**
 * A TCP port of loopback that nothing uses, and that no other call hands out while this process lives: a program may be
 * started on it at leisure.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    claimed ??= await claimBlock()
    const port = claimed.next++
    if (claimed.next === claimed.end) claimed = undefined
    if (await isFree(port)) return port
  }
}

async function claimBlock(): Promise<{ next: number; end: number }> {
  for (let start = RANGE.from; start < RANGE.to; start += BLOCK) {
    // What holds the block ends with the process, however that ends.
    if ((await listen(start)) !== undefined) return { next: start + 1, end: start + BLOCK }
  }
  throw new Error(`no free block of ports from ${RANGE.from} to ${RANGE.to}`)
}

/** A server on the port that does not keep the process alive, or undefined if the port is in use. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().unref().listen(port, '127.0.0.1')
  return new Promise((resolve) => {
    server.once('listening', () => resolve(server)).once('error', () => resolve(undefined))
  })
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port)
  if (server === undefined) return false
  server.close()
  await once(server, 'close')
  return true
}

/** Waits until something listens on the port of loopback; fails as soon as `ended` says that it will not. */
export async function listening(port: number, ended: () => string | undefined): Promise<void> {
  while (!(await isOpen(port))) {
    const reason = ended()
    if (reason !== undefined) throw new Error(reason)
    await sleep(20)
  }
}

/**
 * Waits until quirl answers at its URL; fails as soon as `ended` says that it will not. It looks whether its port is free
 * by listening on it, so that a first connection may come to nothing.
 */
export async function answering(url: string, ended: () => string | undefined): Promise<void> {
  while (
    !(await fetch(`${url}/healthz`)
      .then(({ ok }) => ok)
      .catch(() => false))
  ) {
    const reason = ended()
    if (reason !== undefined) throw new Error(reason)
    await sleep(20)
  }
}

/** Whether something listens on the port of loopback. */
export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isThere
}
