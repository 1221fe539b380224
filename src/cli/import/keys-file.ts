import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parse } from 'csv-parse/sync'
import { writeRecords } from '../../lib/csv.ts'
import { StartError } from '../../lib/start-error.ts'
import { syncPath } from '../../lib/sync-path.ts'
import { isToken, newToken } from '../../lib/token.ts'
import { whileLocked } from '../../lib/lock-file.ts'

const HEADER = ['code', 'token', 'manage_url']
const MODE = 0o600

/**
 * The file with the token of each link. A token is on the disk before the link is created: whatever is interrupted, no link
 * is without its token, and the next run continues with the same ones. It may have the tokens of other imports, which stay.
 */
export interface KeysFile {
  /** The tokens of these codes, in their order: those of an earlier run, else new ones, which are written first. */
  tokensOf: (codes: string[]) => string[]
  /** Adds the addresses of the links that exist, and removes the new tokens of those that were refused. */
  finish: (links: { code: string; token: string; manageUrl: string }[]) => void
}

/** What the file has of a code; the address is empty until its link is known to exist. */
interface Entry {
  token: string
  manageUrl: string
}

/**
 * @param lock a file that every process locks while it changes such a file
 * @throws {StartError} when the file cannot be written, or has something else
 */
export function openKeysFile(file: string, lock: string): KeysFile {
  whileLocked(lock, () => startFile(file))
  const requested = new Set<string>()
  let entries = new Map<string, Entry>()
  let read = ''
  /** Runs `work` with what the file has, which another process may have changed. */
  const change = <T>(work: () => T): T =>
    whileLocked(lock, () => {
      if (read !== versionOf(file)) entries = readEntries(file)
      const result = work()
      read = versionOf(file)
      return result
    })
  return {
    tokensOf: (codes) =>
      change(() => {
        const drawn = codes.filter((code) => !entries.has(code)).map((code) => [code, newToken(), ''])
        if (drawn.length > 0) append(file, drawn)
        for (const [code = '', token = ''] of drawn) entries.set(code, { token, manageUrl: '' })
        for (const code of codes) requested.add(code)
        return codes.map((code) => entries.get(code)?.token ?? '')
      }),
    finish: (links) =>
      change(() => {
        for (const { code, token, manageUrl } of links) entries.set(code, { token, manageUrl })
        for (const code of requested) if (entries.get(code)?.manageUrl === '') entries.delete(code)
        const records = Array.from(entries, ([code, { token, manageUrl }]) => [code, token, manageUrl])
        const part = `${file}.part`
        writeFileSync(part, writeRecords([HEADER, ...records]), { mode: MODE, flush: true })
        renameSync(part, file)
        syncPath(dirname(file))
      }),
  }
}

/** Checks the file, or creates it. */
function startFile(file: string): void {
  if (existsSync(file)) readEntries(file)
  try {
    // An earlier run may have been killed within a line, which a line end completes: it has no token.
    if (!existsSync(file)) append(file, [HEADER])
    else if (!readFileSync(file, 'utf8').endsWith('\n')) writeFileSync(file, '\r\n', { flag: 'a', flush: true })
    syncPath(dirname(file))
  } catch (error) {
    throw new StartError(`${file}: ${(error as Error).message}`, { cause: error })
  }
}

function append(file: string, records: string[][]): void {
  const descriptor = openSync(file, 'a', MODE)
  try {
    writeFileSync(descriptor, writeRecords(records))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Differs after each change. */
function versionOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file)
  return `${ino} ${size} ${mtimeMs}`
}

function readEntries(file: string): Map<string, Entry> {
  const records = parse(readFileSync(file), { relax_column_count: true, relax_quotes: true })
  const [header = [], ...rows] = records
  if (header.join() !== HEADER.join())
    throw new StartError(`${file} is not a file of keys: name another one with --keys`)
  // An apostrophe keeps a code that begins with - from being a formula.
  const entries = rows.map(
    ([code = '', token = '', manageUrl = '']) => [code.replace(/^'/, ''), { token, manageUrl }] as const,
  )
  return new Map(entries.filter(([, { token }]) => isToken(token)))
}
