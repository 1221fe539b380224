import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Nice value of background work: about a third of the share of the threads that answer requests, when all are busy. */
const NICE = 5

/**
 * Lets the calling thread give way to the threads that answer requests. On Linux, a priority belongs to a thread
 * (setpriority(2), "C library/kernel differences") and `/proc/thread-self` names the calling one; elsewhere nothing
 * happens, because there the whole process would give way.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICE)
  } catch {
    // Without /proc the thread takes its share like any other.
  }
}
