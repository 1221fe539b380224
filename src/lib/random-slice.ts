import { randomFillSync } from 'node:crypto'

/** Bytes that are drawn at a time: to ask for each few costs more than to use them. */
const POOL_BYTES = 4096

/** At most as many random bytes, each of which is given once. Their memory is cleared at the next call. */
export const randomSlice = createPool()

function createPool(): (length: number) => Buffer {
  const pool = Buffer.alloc(POOL_BYTES)
  let at = POOL_BYTES
  let given = 0
  return (length) => {
    // What was given is not kept beside what will be.
    pool.fill(0, given, at)
    if (at + length > POOL_BYTES) {
      randomFillSync(pool)
      at = 0
    }
    given = at
    at += length
    return pool.subarray(given, at)
  }
}
