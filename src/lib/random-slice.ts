import { randomFillSync } from 'node:crypto'

/** Random bytes that are generated at a time: a system call for each few would cost more than their use. */
const POOL_BYTES = 4096

/** Returns up to `POOL_BYTES` random bytes, each only once. The next call clears their memory. */
export const randomSlice = createPool()

function createPool(): (length: number) => Buffer {
  const pool = Buffer.alloc(POOL_BYTES)
  let at = POOL_BYTES
  let last = 0
  return (length) => {
    // Clears the bytes of the previous call.
    pool.fill(0, last, at)
    if (at + length > POOL_BYTES) {
      randomFillSync(pool)
      at = 0
    }
    last = at
    at += length
    return pool.subarray(last, at)
  }
}
