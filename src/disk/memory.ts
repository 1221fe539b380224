// What the main thread has found of the disk, in memory that the thread of the warehouse shares: it asks before each transaction,
// also in the middle of a long fold, and tells back how much room it has found inside its own file, and what it could not tell.

const [LOW, REUSABLE, SCARCE, UNTOLD, FOLD_NEEDS] = [0, 1, 2, 3, 4]

/** Memory of both threads. */
export type DiskMemory = SharedArrayBuffer

export function createDiskMemory(): DiskMemory {
  return new SharedArrayBuffer(5 * BigInt64Array.BYTES_PER_ELEMENT)
}

/** Both sides of it. */
export function openDiskMemory(memory: DiskMemory) {
  const values = new BigInt64Array(memory)
  return {
    /** Whether raw scans only count, because the disk is nearly full. */
    isLow: () => Atomics.load(values, LOW) === 1n,
    setLow: (isLow: boolean) => void Atomics.store(values, LOW, isLow ? 1n : 0n),
    /** Whether visitors who come anew are not told from others either. */
    isScarce: () => Atomics.load(values, SCARCE) === 1n,
    setScarce: (isScarce: boolean) => void Atomics.store(values, SCARCE, isScarce ? 1n : 0n),
    /** The bytes that are to be free for a transaction of the fold: with less, scans wait in the journal. */
    foldNeeds: () => Number(Atomics.load(values, FOLD_NEEDS)),
    setFoldNeeds: (bytes: number) => void Atomics.store(values, FOLD_NEEDS, BigInt(Math.ceil(bytes))),
    /** Visits whose visitors were not, since the start. */
    untold: () => Number(Atomics.load(values, UNTOLD)),
    addUntold: (visits: number) => void Atomics.add(values, UNTOLD, BigInt(visits)),
    /** Bytes inside of `scans.db` that further scans use before the file grows: those of deleted links, for example. */
    reusable: () => Number(Atomics.load(values, REUSABLE)),
    setReusable: (bytes: number) => void Atomics.store(values, REUSABLE, BigInt(bytes)),
  }
}
