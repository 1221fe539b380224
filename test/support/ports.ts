import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The range of allocated ports: below the ephemeral ports (from 32768 on Linux, from 49152
 * elsewhere, RFC 6335), so that neither a connection nor a server on port 0 can take an allocated one.
 */
const RANGE = { from: 12_000, to: 32_000 }
const BLOCK = 100

/** The block of ports that only this process allocates; it listens on the first one, which keeps other processes out. */
let claimed: { next: number; end: number } | undefined

/**
 * Allocates a TCP port of loopback that nothing uses. No other call returns it while this process lives, so a program can
 * be started on it later.
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
    // The claim ends with the process, however that ends.
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

/** Waits until a program listens on the port of loopback; throws as soon as `ended` returns a reason. */
export async function listening(port: number, ended: () => string | undefined): Promise<void> {
  while (!(await isOpen(port))) {
    const reason = ended()
    if (reason !== undefined) throw new Error(reason)
    await sleep(20)
  }
}

/**
 * Waits until quirl responds at its URL; throws as soon as `ended` returns a reason. quirl tests whether its port is free
 * by listening on it, so the first connection may fail.
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

/** Whether a program listens on the port of loopback. */
export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isThere
}
