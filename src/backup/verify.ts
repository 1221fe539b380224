import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { faultsOf, openToRead } from '../db/sqlite/copy.ts'
import { resultCode } from '../db/sqlite/errors.ts'
import { readSqlite } from '../db/sqlite/database.ts'
import { StartError } from '../lib/start-error.ts'
import { instanceOf } from '../links/instance.ts'
import { findMismatch } from '../scans/sqlite/instance-check.ts'
import { readScansIdentity } from '../scans/sqlite/identity.ts'
import { findInconsistentLinks } from '../scans/consistency.ts'
import {
  checkJournal,
  collectionsResult,
  countsResult,
  describeLinks,
  describeScans,
  orphansResult,
  type Finding,
  type Result,
} from './findings.ts'
import { isNewer, LINKS, readManifest, SCANS } from './manifest.ts'
import { markOf, orphansOf, summarizeCollections, summarizeLinks, summarizeScans, type LinksSummary } from './store.ts'

export interface VerifyOptions {
  /** A data folder, also of a running service, or a backup. */
  folder: string
  isBackup: boolean
  /** Called with the next step. */
  onStep: (step: string) => void
}

/**
 * Verifies everything in a folder, without changing it.
 * @throws {StartError} when there is nothing to verify
 */
export async function verify({ folder, isBackup, onStep }: VerifyOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  if (isBackup) {
    const { summary } = readManifest(folder, (path) => onStep(`reading ${path}`))
    const files = Object.keys(summary.files).length
    findings.push({
      what: 'files',
      isGood: true,
      text: `${files} unchanged since quirl ${summary.quirl} wrote them at ${summary.taken_at}`,
    })
  } else if (!existsSync(join(folder, LINKS))) {
    throw new StartError(`DATA_DIR=${folder} holds nothing of quirl: name its folder with --data-dir`)
  }
  const opened: DatabaseSync[] = []
  try {
    // The links are opened last and are newer, so that no scan has a link that was created in between.
    for (const name of [SCANS, LINKS]) {
      try {
        opened.push(openSnapshot(join(folder, name)))
      } catch (error) {
        return [...findings, { what: name, ...unreadable(error) }]
      }
    }
    const [scans, links] = opened as [DatabaseSync, DatabaseSync]
    return [...findings, ...(await verifyOpened({ folder, scans, links, onStep }))]
  } finally {
    for (const db of opened) db.close()
  }
}

/** Opens a database in a read transaction, which does not see later writes. */
function openSnapshot(file: string): DatabaseSync {
  const db = openToRead(file)
  try {
    db.exec('begin; select count(*) from sqlite_schema')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

interface Opened {
  folder: string
  scans: DatabaseSync
  links: DatabaseSync
  onStep: (step: string) => void
}

async function verifyOpened({ folder, scans, links, onStep }: Opened): Promise<Finding[]> {
  const findings: Finding[] = []
  const add = async (what: string, step: string, check: () => Result | Promise<Result>) => {
    onStep(step)
    findings.push({ what, ...(await orUnreadable(check)) })
  }
  await add(LINKS, `checking ${LINKS}`, () => sound(links, () => describeLinks(summarizeLinks(links))))
  await add(SCANS, `checking ${SCANS}`, () => sound(scans, () => describeScans(summarizeScans(scans))))
  if (findings.some(({ isGood }) => !isGood)) return findings
  if (isNewer({ links: summarizeLinks(links), scans: summarizeScans(scans) }))
    throw new StartError(`DATA_DIR=${folder} was written by a newer quirl than this one: use that one`)
  await add('journal', 'reading the journal', () => checkJournal(folder, (name) => markOf(scans, name)))
  const missing = new Set<number>()
  await add('orphans', 'searching for links of scans', () => {
    const { deleted, unknown } = orphansOf(scans, links)
    for (const id of [...deleted, ...unknown]) missing.add(id)
    return orphansResult(unknown)
  })
  await add('collections', 'comparing collections', () => collectionsResult(summarizeCollections(links)))
  await add('identity', 'comparing instances', () => checkIdentity(folder, summarizeLinks(links)))
  await add('counts', 'comparing counts', () => checkCounts(scans, missing))
  return findings
}

/** Turns an error of SQLite into a finding: a disk that cannot be read, or a database that is not quirl's. */
async function orUnreadable(check: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    if (resultCode(error) === undefined) throw error
    return unreadable(error)
  }
}

function unreadable(error: unknown): Result {
  return { isGood: false, text: `cannot be read: ${(error as Error).message}` }
}

/** Checks that scans and links match, as the start of the service does. */
async function checkIdentity(folder: string, { instance }: LinksSummary): Promise<Result> {
  const scans = readScansIdentity(join(folder, SCANS))
  if (instance === null || scans === undefined) return { isGood: true, text: 'none yet: written by an older version' }
  const links = readSqlite(join(folder, LINKS))
  try {
    const mismatch = await findMismatch(scans, instanceOf(links))
    return { isGood: mismatch === undefined, text: mismatch ?? `scans and links belong to the instance ${instance}` }
  } finally {
    await links.close()
  }
}

function sound(db: DatabaseSync, describe: () => string): Result {
  const faults = faultsOf(db)
  if (faults.length > 0) return { isGood: false, text: `damaged: ${faults.join('; ')}` }
  return { isGood: true, text: describe() }
}

function checkCounts(scans: DatabaseSync, missing: Set<number>): Result {
  const inconsistent = Array.from(findInconsistentLinks(scans)).filter((linkId) => !missing.has(linkId))
  return countsResult(inconsistent, linksOfBundles(scans))
}

/** Links that have taken rows of a bundle. A backup may be older than bundles. */
function linksOfBundles(scans: DatabaseSync): number[] {
  const columns = scans.prepare("select name from pragma_table_info('imported')").all()
  if (!columns.some(({ name }) => name === 'bundle')) return []
  return scans
    .prepare("select link_id from imported where bundle <> ''")
    .all()
    .map(({ link_id: id }) => Number(id))
}
