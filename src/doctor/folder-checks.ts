import { existsSync, readdirSync, statSync, type Stats } from 'node:fs'
import { access, constants, readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { lastBackupAt } from '../backup/last-backup.ts'
import { FolderInUse, lockFolder, LOCKS } from '../db/lock.ts'
import { spaceOf } from '../disk/space.ts'
import { reasonOf } from '../lib/reason-of.ts'
import { ago, fault, ok, warning, type Check, type Result } from './finding.ts'
import type { ServiceState } from './operator.ts'

const MIB = 2 ** 20
/** Free space of which a service runs out soon: changes and visits still succeed, a backup or a fold may not. */
const [FEW_BYTES, LOW_BYTES] = [100 * MIB, 1024 * MIB]
const [FEW_FILES, LOW_FILES] = [1000, 10_000]
/** Entries of the data folder that are looked at. */
const MAX_ENTRIES = 10_000
/** The bits of a mode that are not its owner's. */
const OTHERS = 0o077
/** A backup each day, and some time for it (deploy/prometheus/alerts.yaml). */
const BACKUP_MS = 26 * 3_600_000

/** What these checks look at. */
export interface FolderSubject {
  dataDir: string
  /** Undefined when no service runs on the folder. */
  service: ServiceState | undefined
  /** Whether the links are in PostgreSQL, which backs itself up. */
  isShared: boolean
  now: () => number
}

export function folderChecks(subject: FolderSubject): Check[] {
  return [
    { name: 'data folder', run: () => checkFolder(subject) },
    { name: 'disk', run: () => checkDisk(subject) },
    { name: 'lock', run: () => checkLock(subject) },
    { name: 'backup', run: () => (subject.isShared ? [] : checkBackup(subject)) },
    { name: 'journal', run: () => checkJournal(subject) },
  ]
}

async function checkFolder({ dataDir, service }: FolderSubject): Promise<Result[]> {
  const folder = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error)
  if (folder instanceof Error) {
    if (folder.code === 'ENOENT') return [warning(`${dataDir} does not exist: the first start creates it`)]
    return [fault(`${dataDir} cannot be looked at: ${reasonOf(folder)}; run this as the user that runs quirl`)]
  }
  if (!folder.isDirectory()) return [fault(`${dataDir} is not a folder: name another one as DATA_DIR`)]
  const entries = (await readdir(dataDir, { recursive: true })).slice(0, MAX_ENTRIES)
  const files = entries.flatMap((name) => {
    const found = statSync(join(dataDir, name), { throwIfNoEntry: false })
    return found === undefined ? [] : [[name, found] as const]
  })
  const uid = service?.uid ?? folder.uid
  const results = [...ownerFaults(dataDir, folder, files, uid), ...openFaults(dataDir, folder, files)]
  const isMine = process.getuid?.() === uid
  if (isMine) await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  return results.length > 0
    ? results
    : [ok(`${dataDir} and its files belong to the user that runs quirl, and no other can read them`)]
}

function ownerFaults(dataDir: string, folder: Stats, files: (readonly [string, Stats])[], uid: number): Result[] {
  const foreign = [['.', folder] as const, ...files].filter(([, { uid: owner }]) => owner !== uid)
  const [first] = foreign
  if (first === undefined) return []
  const more = foreign.length > 1 ? ` and ${foreign.length - 1} more` : ''
  return [
    fault(
      `${join(dataDir, first[0])}${more} belongs to user ${first[1].uid}, but quirl runs as ${uid}: chown -R ${uid} ${dataDir}`,
    ),
  ]
}

/** Files hold private keys of certificates, hashes of tokens and notes of owners. */
function openFaults(dataDir: string, folder: Stats, files: (readonly [string, Stats])[]): Result[] {
  if ((folder.mode & OTHERS) === 0) return []
  // What is in a folder that others cannot enter is closed to them.
  const isClosed = (name: string) =>
    files.some(([folder, { mode }]) => name.startsWith(`${folder}/`) && (mode & OTHERS) === 0)
  const open = files.filter(([name, found]) => found.isFile() && (found.mode & OTHERS) !== 0 && !isClosed(name))
  const [first] = open
  if (first === undefined) return []
  const more = open.length > 1 ? ` and ${open.length - 1} more` : ''
  return [fault(`other users may read ${join(dataDir, first[0])}${more}: chmod -R go= ${dataDir}`)]
}

async function checkDisk({ dataDir, service }: FolderSubject): Promise<Result[]> {
  const found = await statfs(dataDir).catch(() => statfs('.'))
  const { files, ffree } = found
  const { free } = spaceOf(found)
  const space = Number.isFinite(free)
    ? `${Math.floor(free / MIB).toLocaleString('en')} MiB are free for ${dataDir}`
    : `the file system of ${dataDir} does not say how much is free`
  const advice = 'make room, or move DATA_DIR to a larger disk'
  const results = [
    free < FEW_BYTES ? fault(`${space}: ${advice} now`) : free < LOW_BYTES ? warning(`${space}: ${advice}`) : ok(space),
  ]
  results.push(...tellState(service?.metrics ?? {}))
  // Some file systems, such as Btrfs, count no files.
  if (files > 0 && ffree < LOW_FILES) {
    const text = `${ffree} more files can be created on the disk of ${dataDir} (df -i): remove small files`
    results.push(ffree < FEW_FILES ? fault(text) : warning(text))
  }
  return results
}

/** What the service does less of, because the disk fills. */
function tellState(metrics: Readonly<Record<string, number>>): Result[] {
  const results: Result[] = []
  if (metrics['quirl_disk_full'] === 1) {
    results.push(
      fault('the disk is full: links can be paused, deleted and blocked, and nothing else, until there is room'),
    )
  }
  if (metrics['quirl_disk_low'] === 1) {
    const floor = Math.ceil((metrics['quirl_disk_floor_bytes'] ?? 0) / MIB).toLocaleString('en')
    results.push(warning(`less than ${floor} MiB are free (DISK_FLOOR): visits count, but are not stored one by one`))
  }
  if (metrics['quirl_disk_critical'] === 1) {
    results.push(
      warning('less than a quarter of that is free: visits are answered, and not counted, until there is room'),
    )
  }
  if (metrics['quirl_disk_scarce'] === 1) {
    results.push(warning('less than half of that is free: new visitors are not counted, until there is room'))
  }
  return results
}

function checkLock({ dataDir, service }: FolderSubject): Result[] {
  if (service !== undefined) return [ok('the service holds it')]
  // Locking would create the file.
  if (!LOCKS.some((name) => existsSync(join(dataDir, name)))) return [ok('nobody holds it')]
  try {
    lockFolder(dataDir).release()
    return [ok('nobody holds it')]
  } catch (error) {
    if (!(error instanceof FolderInUse)) return [fault(reasonOf(error))]
    return [
      fault(`a quirl holds ${dataDir} and does not answer commands: it is starting or stopping, or hangs; see its log`),
    ]
  }
}

async function checkBackup({ dataDir, now }: FolderSubject): Promise<Result[]> {
  const at = await lastBackupAt(dataDir)
  if (at === 0) return [warning(`no backup is known of: run "quirl backup <folder>" each day`)]
  const age = now() - at
  const text = `the last backup was taken ${ago(age)} ago`
  if (age < -60_000) return [warning(`the last backup is from the future: check the clock`)]
  return [age > BACKUP_MS ? warning(`${text}: run "quirl backup <folder>" each day`) : ok(text)]
}

/** Files with scans that are not in the statistics. A service that runs says more. */
function checkJournal({ dataDir, service }: FolderSubject): Result[] {
  const folder = join(dataDir, 'journal')
  const names = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : []
  const damaged = names.filter((name) => name.endsWith('.damaged'))
  const waiting = names.filter((name) => name !== 'id' && !name.endsWith('.damaged')).length
  const results: Result[] = []
  if (damaged.length > 0) {
    results.push(
      warning(
        `${damaged.length} damaged file(s) in ${folder}, of which the readable scans were counted: check the disk, then delete them`,
      ),
    )
  }
  if (service === undefined && waiting > 0) {
    results.push(ok(`${waiting} file(s) with visits wait for the next start, which counts them`))
  }
  return service === undefined && results.length === 0 ? [ok('nothing waits to be counted')] : results
}
