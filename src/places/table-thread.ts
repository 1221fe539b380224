// Converts a file into a table, off the main thread.
import { rm } from 'node:fs/promises'
import { createYield, lowerPriority } from '../lib/background-thread.ts'
import { answerCalls } from '../lib/thread-calls.ts'
import { writeCompact } from './compact-write.ts'
import { openMmdb } from './mmdb.ts'
import { unpack } from './unpack.ts'

export interface TableTask {
  /** An .mmdb or .mmdb.gz file, whatever its name. */
  file: string
  /** The path to unpack it to. */
  unpacked: string
  table: string
}

lowerPriority()
const calls = {
  async make({ file, unpacked, table }: TableTask): Promise<void> {
    try {
      const source = openMmdb(await unpack(file, unpacked))
      try {
        writeCompact([source], table, createYield())
      } finally {
        source.close()
      }
    } finally {
      await rm(unpacked, { force: true })
    }
  },
}

/** The calls that the thread takes. */
export type TableCalls = typeof calls

answerCalls(calls)
