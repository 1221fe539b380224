import { totalmem } from 'node:os'

const [MIB, GIB] = [2 ** 20, 2 ** 30]
/** What quirl takes itself: 150 MB, as much again while it draws the largest images, and what V8 has yet to collect. */
const OWN = 384 * MIB

/** The limit of the container or of the unit, in bytes; null when there is none. */
export function memoryLimit(): number | null {
  const limit = process.constrainedMemory()
  // Without a limit, the kernel answers with a number that no machine has.
  return limit === 0 || limit >= 2 ** 60 ? null : limit
}

/** The memory that there is, in bytes: of the container or the unit, else of the machine. */
export function availableMemory(): number {
  return Math.min(memoryLimit() ?? Infinity, totalmem())
}

/**
 * What a bound of memory, or of the number of what takes memory, is with the memory that there is. Bounds are those of 1 GiB, and with more
 * they stay; with less they are as much smaller as there is less for them, because the pools of a larger machine would end the process
 * before what they had is collected.
 * @param least what remains with any memory, such as what one request of the largest size takes
 */
export function ofMemory(bound: number, least = bound / 8, memory = availableMemory()): number {
  const part = Math.min(1, (memory - OWN) / (GIB - OWN))
  return Math.floor(Math.max(least, bound * part))
}
