// Turns a file into a table, off the thread that answers visits.
import { rm } from 'node:fs/promises'
import { createYield, lowerPriority } from '../lib/background-thread.ts'
import { answerCalls } from '../lib/thread-calls.ts'
import { writeCompact } from './compact-write.ts'
import { openMmdb } from './mmdb.ts'
import { unpack } from './unpack.ts'

export interface TableTask {
  /** An .mmdb or .mmdb.gz, whatever it is called. */
  file: string
  /** Where it may be unpacked. */
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

/** What can be asked of the thread. */
export type TableCalls = typeof calls

answerCalls(calls)
