// Turns one file of a list into a set, off the thread that answers visits.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { answerCalls } from '../lib/thread-calls.ts'
import { buildSet } from './compact-set.ts'
import { readLines } from './list-lines.ts'
import { addEntry } from './list-entry.ts'

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

/** Lines that are read together. */
const BATCH = 256

const calls = {
  async parse({ file, salt }: ParseTask): Promise<ParsedList> {
    const set = buildSet()
    const { read, format } = readLines()
    let [lines, entries, ignored, foreign, firstForeign] = [0, 0, 0, 0, 0]
    const take = (batch: string[]) => {
      for (const addresses of read(batch.splice(0))) {
        lines++
        if (addresses === undefined && foreign++ === 0) firstForeign = lines
        for (const address of addresses ?? []) {
          if (addEntry(set, salt, address)) entries++
          else ignored++
        }
      }
    }
    const batch: string[] = []
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      batch.push(line)
      if (batch.length === BATCH) take(batch)
    }
    take(batch)
    return { keys: set.finish(), format: format(), entries, ignored, foreign, firstForeign }
  },
}

/** What can be asked of the thread. */
export type ParseCalls = typeof calls

answerCalls(calls, ({ keys }) => [keys.buffer])
