// Turns one file of a list into a set, off the thread that answers visits.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { parentPort, workerData } from 'node:worker_threads'
import { buildSet } from './compact-set.ts'
import { readLines } from './list-lines.ts'
import { addListed } from './listed.ts'

/** What to read. */
export interface ParseTask {
  file: string
  salt: string
}

/** What was read. */
export interface ParsedList {
  /** As `openSet` takes them. */
  keys: Uint32Array<ArrayBuffer>
  format: string
  /** Hosts and URLs that are listed. */
  entries: number
  /** Hosts that many share, which are left out. */
  ignored: number
  /** Lines that are no host, no URL and no comment. */
  foreign: number
  /** The first of them, counted from 1. */
  firstForeign: number
}

const { file, salt } = workerData as ParseTask
const set = buildSet()
const { read, format } = readLines()
let [lines, entries, ignored, foreign, firstForeign] = [0, 0, 0, 0, 0]
for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
  const addresses = read(line)
  lines++
  if (addresses === undefined && foreign++ === 0) firstForeign = lines
  for (const address of addresses ?? []) {
    if (addListed(set, salt, address)) entries++
    else ignored++
  }
}
const keys = set.finish()
parentPort?.postMessage({ keys, format: format(), entries, ignored, foreign, firstForeign } satisfies ParsedList, [
  keys.buffer,
])
