import { readdirSync, readFileSync } from 'node:fs'
import { StartError } from '../lib/start-error.ts'

/** File descriptors that this process may have open. Node has raised the soft limit to the hard one. Infinite without /proc. */
export function openFilesLimit(): number {
  try {
    return Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** File descriptors that this process has open; 0 without /proc. */
export function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

/** What the threads, databases and sockets of a start need besides Node's own descriptors. */
const START_FILES = 32
/** What is asked for at least: some connections, too. */
const RECOMMENDED = 64

/**
 * @param connections to servers, which need one each
 * @throws {StartError} when a start would run out of file descriptors, wherever that happens to be
 */
export function requireOpenFiles(connections: number, limit = openFilesLimit(), open = openFiles()): void {
  const needed = START_FILES + connections
  if (limit - open >= needed) return
  throw new StartError(
    `this process may have only ${limit} files open (ulimit -n), ${open} of which it has already: allow ${Math.max(RECOMMENDED, open + needed)} at least, and one more for each connection of a client (LimitNOFILE, docs/capacity.md#connections)`,
  )
}
