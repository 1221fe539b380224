// Turns a file into a table, off the thread that answers visits.
import { rm } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createRest, giveWay } from '../lib/background-thread.ts'
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

giveWay()
const { file, unpacked, table } = workerData as TableTask
try {
  const source = openMmdb(await unpack(file, unpacked))
  try {
    writeCompact([source], table, createRest())
  } finally {
    source.close()
  }
} finally {
  await rm(unpacked, { force: true })
}
parentPort?.postMessage('done')
