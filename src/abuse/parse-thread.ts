// Parses the file of a list into a set, off the main thread.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { answerCalls } from '../lib/thread-calls.ts'
import { buildSet } from './compact-set.ts'
import { createLineParser } from './list-lines.ts'
import { addEntry } from './list-entry.ts'

export interface ParseTask {
  file: string
  salt: string
  /** How many hosts and URLs the list may have. */
  maxEntries: number
}

export interface ParsedList {
  /** The argument of `openSet`. */
  keys: Uint32Array<ArrayBuffer>
  format: string
  /** The number of hosts and URLs. */
  entries: number
  /** The number of skipped entries: shared suffixes. */
  ignored: number
  /** The number of lines that are neither entries nor comments. */
  foreign: number
  /** The number of the first such line, from 1. */
  firstForeign: number
}

/** How many lines are parsed together. */
const BATCH = 256

const calls = {
  async parse({ file, salt, maxEntries }: ParseTask): Promise<ParsedList> {
    const set = buildSet()
    const { read, format } = createLineParser()
    let [lines, entries, ignored, foreign, firstForeign] = [0, 0, 0, 0, 0]
    const take = (batch: string[]) => {
      for (const addresses of read(batch.splice(0))) {
        lines++
        if (addresses === undefined && foreign++ === 0) firstForeign = lines
        for (const address of addresses ?? []) {
          if (addEntry(set, salt, address)) entries++
          else ignored++
        }
        if (entries > maxEntries) throw new Error(`it has more than ${maxEntries.toLocaleString('en')} entries`)
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

/** The calls of the thread. */
export type ParseCalls = typeof calls

answerCalls(calls, ({ keys }) => [keys.buffer])
