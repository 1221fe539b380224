import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../db/migrate.ts'
import { StartError } from '../lib/start-error.ts'
import { warehouseSchema } from '../scans/sqlite/warehouse-schema.ts'
import { syncPath } from '../lib/sync-path.ts'
import { listFolder, checksumOf, type Checksum } from './files.ts'
import type { LinksSummary, ScansSummary } from './store.ts'

/** Written last: a backup without it is incomplete. `sha256sum -c` reads it. */
export const CHECKSUMS = 'SHA256SUMS'
const SUMMARY = 'backup.json'
export const LINKS = 'links.db'
export const SCANS = 'scans.db'
/** The folder of the journal files, in a data folder and in a backup. */
export const JOURNAL = 'journal'
/** The subfolder of an incomplete backup. */
export const UNFINISHED = 'unfinished'

/** All names that a backup may have. */
export const PARTS = [UNFINISHED, LINKS, SCANS, JOURNAL, SUMMARY, CHECKSUMS]

const FORMAT = 1

/** The contents of a backup, as `backup.json` lists them. */
export interface BackupSummary {
  format: number
  /** The version that took the backup. */
  quirl: string
  /** The backup has everything that was acknowledged before this time. */
  taken_at: string
  links: LinksSummary
  scans: ScansSummary
  /** The size of each file, in bytes, by its path. */
  files: Record<string, number>
}

/** The summary of a backup, and the SHA-256 of each file. */
export interface Manifest {
  summary: BackupSummary
  checksums: Map<string, string>
}

/** Completes a backup, whose other files are in `folder` and synced. */
export function writeManifest(
  folder: string,
  summary: Omit<BackupSummary, 'format' | 'files'>,
  checksums: Map<string, Checksum>,
): BackupSummary {
  const files = Object.fromEntries(Array.from(checksums, ([path, { bytes }]) => [path, bytes]))
  const all: BackupSummary = { format: FORMAT, ...summary, files }
  const options = { mode: 0o600, flush: true, flag: 'wx' }
  writeFileSync(join(folder, SUMMARY), `${JSON.stringify(all, undefined, 2)}\n`, options)
  const lines = [...checksums, [SUMMARY, checksumOf(join(folder, SUMMARY))] as const].map(
    ([path, { sha256 }]) => `${sha256}  ${path}\n`,
  )
  writeFileSync(join(folder, CHECKSUMS), lines.join(''), options)
  syncPath(folder)
  return all
}

/**
 * Reads the manifest of a backup, and compares every file with its checksum.
 * @param onFile called with each file before it is read
 * @throws {StartError} when the folder has no backup, or an incomplete or changed one
 */
export function readManifest(folder: string, onFile: (path: string) => void = () => {}): Manifest {
  const names = listFolder(folder)
  if (names === undefined) throw new StartError(`${folder} does not exist`)
  if (!names.includes(CHECKSUMS)) throw new StartError(`${folder} holds no complete backup: ${reasonOf(names)}`)
  const checksums = readChecksums(folder)
  for (const [path, sum] of checksums) {
    onFile(path)
    if (statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() !== true)
      throw new StartError(`${folder} is damaged: ${path} is missing`)
    if (checksumOf(join(folder, path)).sha256 !== sum)
      throw new StartError(`${folder} is damaged: ${path} is not as it was written; take another backup`)
  }
  if (!checksums.has(SUMMARY)) throw new StartError(`${folder} is damaged: ${CHECKSUMS} does not name ${SUMMARY}`)
  const summary = readSummary(folder)
  const expected = [SUMMARY, ...Object.keys(summary.files)].toSorted().join(', ')
  const found = [
    ...names.filter((name) => ![CHECKSUMS, JOURNAL, UNFINISHED].includes(name)),
    ...journalOf(folder, names),
  ]
  if ([found, [...checksums.keys()]].some((paths) => paths.toSorted().join(', ') !== expected))
    throw new StartError(`${folder} is damaged: it must have ${expected} and ${CHECKSUMS}, and nothing else`)
  return { summary, checksums }
}

function reasonOf(names: string[]): string {
  if (names.includes(UNFINISHED)) return 'its command was interrupted; remove it and take another'
  return `it has no ${CHECKSUMS}`
}

function readChecksums(folder: string): Map<string, string> {
  const lines = readFileSync(join(folder, CHECKSUMS), 'utf8').split('\n')
  if (lines.pop() !== '') throw new StartError(`${folder} is damaged: ${CHECKSUMS} was cut short`)
  const checksums = lines.map((line) => {
    const [sha256 = '', path = ''] = line.split('  ')
    // A path must not lead out of the folder.
    const name = path.startsWith(`${JOURNAL}/`) ? path.slice(JOURNAL.length + 1) : path
    if (!/^[0-9a-f]{64}$/.test(sha256) || !/^[\w-]+\.\w+$/.test(name) || line !== `${sha256}  ${path}`)
      throw new StartError(`${folder} is damaged: ${CHECKSUMS} cannot be read`)
    return [path, sha256] as const
  })
  return new Map(checksums)
}

function readSummary(folder: string): BackupSummary {
  const summary = JSON.parse(readFileSync(join(folder, SUMMARY), 'utf8')) as BackupSummary
  const { format, quirl } = summary
  if (format !== FORMAT || isNewer(summary))
    throw new StartError(`${folder} was taken by quirl ${quirl}, which is newer than this one: use that one`)
  return summary
}

/** Whether a newer version wrote the data, whose tables this version does not know. */
export function isNewer({ links, scans }: Pick<BackupSummary, 'links' | 'scans'>): boolean {
  return links.schema > migrations.length || scans.schema > warehouseSchema
}

function journalOf(folder: string, names: string[]): string[] {
  return names.includes(JOURNAL) ? readdirSync(join(folder, JOURNAL)).map((name) => `${JOURNAL}/${name}`) : []
}
