// Turns a downloaded file into a table, off the thread that answers visits.
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createGunzip } from 'node:zlib'
import { createRest, giveWay } from '../lib/background-thread.ts'
import { writeCompact } from './compact-write.ts'
import { openMmdb } from './mmdb.ts'

export interface TableTask {
  /** An .mmdb or .mmdb.gz, whatever it is called. */
  file: string
  table: string
}

/** What compressed files may hold. */
const MAX_BYTES = 2 ** 31

giveWay()
const { file, table } = workerData as TableTask
await unpack(file)
const source = openMmdb(file)
try {
  writeCompact([source], table, createRest())
} finally {
  source.close()
}
parentPort?.postMessage('done')

async function unpack(path: string): Promise<void> {
  const opened = await open(path)
  const { buffer } = await opened.read(Buffer.alloc(2), 0, 2, 0)
  await opened.close()
  if (buffer.readUInt16BE() !== 0x1f8b) return
  const unpacked = `${path}.mmdb`
  let bytes = 0
  const bound = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > MAX_BYTES ? new Error('it is larger than 2 GiB') : null, chunk)
    },
  })
  try {
    await pipeline(createReadStream(path), createGunzip(), bound, createWriteStream(unpacked))
    await rename(unpacked, path)
  } finally {
    await rm(unpacked, { force: true })
  }
}
