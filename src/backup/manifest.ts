import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../db/migrate.ts'
import { StartError } from '../lib/start-error.ts'
import { warehouseSchema } from '../scans/warehouse-schema.ts'
import { syncPath } from '../lib/sync-path.ts'
import { namesIn, sumOf, type Sum } from './files.ts'
import type { LinkFacts, ScanFacts } from './store.ts'

/** The last file of a backup that is written: a backup without it is not whole. `sha256sum -c` reads it. */
export const SUMS = 'SHA256SUMS'
const FACTS = 'backup.json'
export const LINKS = 'links.db'
export const SCANS = 'scans.db'
/** The folder of the journal files, in a data folder and in a backup. */
export const JOURNAL = 'journal'
/** Where a backup is written until it is whole. */
export const UNFINISHED = 'unfinished'

/** All that a backup may consist of. */
export const PARTS = [UNFINISHED, LINKS, SCANS, JOURNAL, FACTS, SUMS]

const FORMAT = 1

/** What is known of a backup without opening its databases. */
export interface Facts {
  format: number
  /** The version of the program that took it. */
  quirl: string
  /** Everything that was answered until then is in it. */
  taken_at: string
  links: LinkFacts
  scans: ScanFacts
  /** The size of each file, in bytes, by its path. */
  files: Record<string, number>
}

/** What a backup says of itself: its facts, and the SHA-256 of each file. */
export interface Manifest {
  facts: Facts
  sums: Map<string, string>
}

/** Writes what completes a backup; its other files are in `folder` and on the disk. */
export function writeManifest(folder: string, facts: Omit<Facts, 'format' | 'files'>, sums: Map<string, Sum>): Facts {
  const files = Object.fromEntries(Array.from(sums, ([path, { bytes }]) => [path, bytes]))
  const all: Facts = { format: FORMAT, ...facts, files }
  const options = { mode: 0o600, flush: true, flag: 'wx' }
  writeFileSync(join(folder, FACTS), `${JSON.stringify(all, undefined, 2)}\n`, options)
  const lines = [...sums, [FACTS, sumOf(join(folder, FACTS))] as const].map(
    ([path, { sha256 }]) => `${sha256}  ${path}\n`,
  )
  writeFileSync(join(folder, SUMS), lines.join(''), options)
  syncPath(folder)
  return all
}

/**
 * Reads what a backup says of itself, and compares every file with its sum.
 * @param onFile told of each file before it is read
 * @throws {StartError} when the folder holds no backup, one that is not whole, or one that has changed since
 */
export function readManifest(folder: string, onFile: (path: string) => void = () => {}): Manifest {
  const names = namesIn(folder)
  if (names === undefined) throw new StartError(`${folder} does not exist`)
  if (!names.includes(SUMS)) throw new StartError(`${folder} holds no whole backup: ${reasonOf(names)}`)
  const sums = readSums(folder)
  for (const [path, sum] of sums) {
    onFile(path)
    if (statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() !== true)
      throw new StartError(`${folder} is damaged: ${path} is missing`)
    if (sumOf(join(folder, path)).sha256 !== sum)
      throw new StartError(`${folder} is damaged: ${path} is not as it was written; take another backup`)
  }
  if (!sums.has(FACTS)) throw new StartError(`${folder} is damaged: ${SUMS} does not name ${FACTS}`)
  const facts = readFacts(folder)
  const known = [FACTS, ...Object.keys(facts.files)].toSorted().join(', ')
  const there = [...names.filter((name) => ![SUMS, JOURNAL, UNFINISHED].includes(name)), ...journalOf(folder, names)]
  if ([there, [...sums.keys()]].some((paths) => paths.toSorted().join(', ') !== known))
    throw new StartError(`${folder} is damaged: it must hold ${known} and ${SUMS}, and nothing else`)
  return { facts, sums }
}

function reasonOf(names: string[]): string {
  if (names.includes(UNFINISHED)) return 'it was interrupted while it was written; remove it and take another'
  return `there is no ${SUMS} in it`
}

function readSums(folder: string): Map<string, string> {
  const lines = readFileSync(join(folder, SUMS), 'utf8').split('\n')
  if (lines.pop() !== '') throw new StartError(`${folder} is damaged: ${SUMS} was cut short`)
  const sums = lines.map((line) => {
    const [sha256 = '', path = ''] = line.split('  ')
    // No path may lead out of the folder.
    const name = path.startsWith(`${JOURNAL}/`) ? path.slice(JOURNAL.length + 1) : path
    if (!/^[0-9a-f]{64}$/.test(sha256) || !/^[\w-]+\.\w+$/.test(name) || line !== `${sha256}  ${path}`)
      throw new StartError(`${folder} is damaged: ${SUMS} cannot be read`)
    return [path, sha256] as const
  })
  return new Map(sums)
}

function readFacts(folder: string): Facts {
  const facts = JSON.parse(readFileSync(join(folder, FACTS), 'utf8')) as Facts
  const { format, quirl } = facts
  if (format !== FORMAT || isNewer(facts))
    throw new StartError(`${folder} was taken by quirl ${quirl}, which is newer than this one: use that one`)
  return facts
}

/** Whether what is kept is of a newer version: what its tables mean is then not known. */
export function isNewer({ links, scans }: Pick<Facts, 'links' | 'scans'>): boolean {
  return links.schema > migrations.length || scans.schema > warehouseSchema
}

function journalOf(folder: string, names: string[]): string[] {
  return names.includes(JOURNAL) ? readdirSync(join(folder, JOURNAL)).map((name) => `${JOURNAL}/${name}`) : []
}
