// What the main thread has found of the disk, in memory that the thread of the warehouse shares: it asks before each transaction,
// also in the middle of a long fold, and tells back how much room it has found inside its own file.

const [LOW, REUSABLE] = [0, 1]

/** Memory of both threads. */
export type SharedDisk = SharedArrayBuffer

export function createSharedDisk(): SharedDisk {
  return new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)
}

/** Both sides of what is shared. */
export function openSharedDisk(shared: SharedDisk) {
  const values = new BigInt64Array(shared)
  return {
    /** Whether raw scans only count, because the disk is nearly full. */
    isLow: () => Atomics.load(values, LOW) === 1n,
    setLow: (isLow: boolean) => void Atomics.store(values, LOW, isLow ? 1n : 0n),
    /** Bytes inside of `scans.db` that further scans use before the file grows: those of deleted links, for example. */
    reusable: () => Number(Atomics.load(values, REUSABLE)),
    setReusable: (bytes: number) => void Atomics.store(values, REUSABLE, BigInt(bytes)),
  }
}
