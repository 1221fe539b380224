import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parse } from 'csv-parse/sync'
import { writeRecords } from '../../lib/csv.ts'
import { StartError } from '../../lib/start-error.ts'
import { syncPath } from '../../lib/sync-path.ts'
import { isToken, newToken } from '../../lib/token.ts'

const HEADER = ['code', 'token', 'manage_url']
const MODE = 0o600

/**
 * The file with the token of each link. A token is on the disk before the link is created: whatever is interrupted, no link
 * is without its token, and the next run continues with the same ones.
 */
export interface KeysFile {
  /** The tokens of these codes, in their order: those of an earlier run, else new ones, which are written first. */
  tokensOf: (codes: string[]) => string[]
  /** Writes the final file, with the links that exist. */
  finish: (links: { code: string; token: string; manageUrl: string }[]) => void
}

/** @throws {StartError} when the file cannot be written, or has something else */
export function openKeysFile(file: string): KeysFile {
  const known = readTokens(file)
  const isNew = !existsSync(file)
  const append = (records: string[][]) => {
    const descriptor = openSync(file, 'a', MODE)
    try {
      writeFileSync(descriptor, writeRecords(records))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
  try {
    // An earlier run may have been killed within a line, which a line end completes: it has no token.
    if (isNew) append([HEADER])
    else if (!readFileSync(file, 'utf8').endsWith('\n')) writeFileSync(file, '\r\n', { flag: 'a', flush: true })
    syncPath(dirname(file))
  } catch (error) {
    throw new StartError(`${file}: ${(error as Error).message}`, { cause: error })
  }
  return {
    tokensOf(codes) {
      const drawn = codes.filter((code) => !known.has(code)).map((code) => [code, newToken(), ''])
      if (drawn.length > 0) append(drawn)
      for (const [code = '', token = ''] of drawn) known.set(code, token)
      return codes.map((code) => known.get(code) ?? '')
    },
    finish(links) {
      const part = `${file}.part`
      const records = links.map(({ code, token, manageUrl }) => [code, token, manageUrl])
      writeFileSync(part, writeRecords([HEADER, ...records]), { mode: MODE, flush: true })
      renameSync(part, file)
      syncPath(dirname(file))
    },
  }
}

/** The tokens of an earlier run by code. */
function readTokens(file: string): Map<string, string> {
  if (!existsSync(file)) return new Map()
  const records = parse(readFileSync(file), { relax_column_count: true, relax_quotes: true })
  const [header = [], ...rows] = records
  if (header.join() !== HEADER.join())
    throw new StartError(`${file} is not a file of keys: name another one with --keys`)
  // An apostrophe keeps a code that begins with - from being a formula.
  const entries = rows.map(([code = '', token = '']) => [code.replace(/^'/, ''), token] as const)
  return new Map(entries.filter(([, token]) => isToken(token)))
}
