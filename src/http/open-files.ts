import { readFileSync } from 'node:fs'

/** File descriptors that this process may have open. Node has raised the soft limit to the hard one. Infinite without /proc. */
export function openFilesLimit(): number {
  try {
    return Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
