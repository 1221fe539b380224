import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { faultsOf, openToRead } from '../db/copy.ts'
import { resultCode } from '../db/sqlite-errors.ts'
import { readSqlite } from '../db/sqlite.ts'
import { StartError } from '../lib/start-error.ts'
import { instanceOf } from '../links/instance.ts'
import { findMismatch } from '../scans/belonging.ts'
import { readScansIdentity } from '../scans/identity.ts'
import { readJournalFile } from '../scans/journal-file.ts'
import { linksOfUnequalSums } from '../scans/sums.ts'
import { namesIn } from './files.ts'
import { isNewer, JOURNAL, LINKS, readManifest, SCANS } from './manifest.ts'
import { markOf, orphansOf, readLinkFacts, readScanFacts, type LinkFacts } from './store.ts'

/** Something that was looked at. */
export interface Finding {
  what: string
  isGood: boolean
  text: string
}

export interface VerifyOptions {
  /** A data folder, of a service that runs or not, or a backup. */
  folder: string
  isBackup: boolean
  /** Told what is looked at next. */
  onStep: (step: string) => void
}

/** Links that are named in a finding. */
const MAX_NAMED = 5

/**
 * Looks at all that is kept in a folder, and changes nothing.
 * @throws {StartError} when there is nothing that can be looked at
 */
export async function verify({ folder, isBackup, onStep }: VerifyOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  if (isBackup) {
    const { facts } = readManifest(folder, (path) => onStep(`reading ${path}`))
    const files = Object.keys(facts.files).length
    findings.push({
      what: 'files',
      isGood: true,
      text: `${files} as they were written at ${facts.taken_at} by quirl ${facts.quirl}`,
    })
  } else if (!existsSync(join(folder, LINKS))) {
    throw new StartError(`DATA_DIR=${folder} holds nothing of quirl: name its folder with --data-dir`)
  }
  const opened: DatabaseSync[] = []
  try {
    // The links are newer: there can be no scans of a link that is only about to be.
    for (const name of [SCANS, LINKS]) {
      try {
        opened.push(openAsItIs(join(folder, name)))
      } catch (error) {
        return [...findings, { what: name, ...unreadable(error) }]
      }
    }
    const [scans, links] = opened as [DatabaseSync, DatabaseSync]
    return [...findings, ...(await look({ folder, scans, links, onStep }))]
  } finally {
    for (const db of opened) db.close()
  }
}

/** Opens a database of which everything that is read is as it is now, whatever is written meanwhile. */
function openAsItIs(file: string): DatabaseSync {
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

async function look({ folder, scans, links, onStep }: Opened): Promise<Finding[]> {
  const findings: Finding[] = []
  const add = async (what: string, step: string, find: () => Look | Promise<Look>) => {
    onStep(step)
    findings.push({ what, ...(await orUnreadable(find)) })
  }
  await add(LINKS, `checking ${LINKS}`, () => sound(links, () => linkFactsText(links)))
  await add(SCANS, `checking ${SCANS}`, () => sound(scans, () => scanFactsText(scans)))
  if (findings.some(({ isGood }) => !isGood)) return findings
  if (isNewer({ links: readLinkFacts(links), scans: readScanFacts(scans) }))
    throw new StartError(`DATA_DIR=${folder} was written by a newer quirl than this one: use that one`)
  await add('journal', 'reading the journal', () => lookAtJournal(folder, scans))
  const gone = new Set<number>()
  await add('orphans', 'looking for links', () => {
    const { deleted, unknown } = orphansOf(scans, links)
    for (const id of [...deleted, ...unknown]) gone.add(id)
    return { isGood: unknown.length === 0, text: orphansText(unknown) }
  })
  await add('identity', 'comparing names', () => lookAtIdentity(folder, readLinkFacts(links)))
  await add('sums', 'adding up', () => lookAtSums(scans, gone))
  return findings
}

type Look = Omit<Finding, 'what'>

/** A disk that cannot be read, or a database that is not quirl's, is what is looked for. */
async function orUnreadable(find: () => Look | Promise<Look>): Promise<Look> {
  try {
    return await find()
  } catch (error) {
    if (resultCode(error) === undefined) throw error
    return unreadable(error)
  }
}

function unreadable(error: unknown): Look {
  return { isGood: false, text: `cannot be read: ${(error as Error).message}` }
}

/** Whether the scans are of these links, as the start of a service asks. */
async function lookAtIdentity(folder: string, { instance }: LinkFacts): Promise<Look> {
  const scans = readScansIdentity(join(folder, SCANS))
  if (instance === null || scans === undefined) return { isGood: true, text: 'none yet, as of an older version' }
  const links = readSqlite(join(folder, LINKS))
  try {
    const fault = await findMismatch(scans, instanceOf(links))
    return { isGood: fault === undefined, text: fault ?? `scans and links are of the store ${instance}` }
  } finally {
    await links.close()
  }
}

function sound(db: DatabaseSync, describe: () => string): Look {
  const faults = faultsOf(db)
  if (faults.length > 0) return { isGood: false, text: `damaged: ${faults.join('; ')}` }
  return { isGood: true, text: describe() }
}

function linkFactsText(db: DatabaseSync): string {
  const { links, codes, schema } = readLinkFacts(db)
  return `${count(links)} links, ${count(codes)} codes, schema ${schema}`
}

function scanFactsText(db: DatabaseSync): string {
  const { scans, scanned, rows, schema } = readScanFacts(db)
  const raw = rows === scans ? '' : `, ${count(rows)} of them as rows`
  return `${count(scans)} scans of ${count(scanned)} links${raw}, schema ${schema}`
}

function lookAtJournal(folder: string, scans: DatabaseSync): Look {
  let [waiting, lost] = [0, 0]
  for (const name of namesIn(join(folder, JOURNAL)) ?? []) {
    if (!name.endsWith('.scans')) continue
    try {
      for (const part of readJournalFile(join(folder, JOURNAL, name), markOf(scans, name))) {
        waiting += part.scans.length
        lost += part.lost
      }
    } catch (error) {
      // It has reached the statistics meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      return { isGood: false, text: `${name} cannot be read: ${(error as Error).message}` }
    }
  }
  const text = `${count(waiting)} scans wait for the statistics`
  return lost === 0 ? { isGood: true, text } : { isGood: false, text: `${text}, ${count(lost)} are damaged` }
}

function lookAtSums(scans: DatabaseSync, gone: Set<number>): Look {
  const unequal = Array.from(linksOfUnequalSums(scans)).filter((linkId) => !gone.has(linkId))
  if (unequal.length === 0)
    return { isGood: true, text: 'the counts of each link agree with each other and with its scans' }
  return { isGood: false, text: `the counts of ${named(unequal)} do not agree` }
}

function orphansText(orphans: number[]): string {
  return orphans.length === 0 ? 'none' : `there are scans of ${named(orphans)}, and no such links`
}

function named(ids: number[]): string {
  const more = ids.length > MAX_NAMED ? ', …' : ''
  return `${count(ids.length)} links (${ids.slice(0, MAX_NAMED).join(', ')}${more})`
}

function count(amount: number): string {
  return amount.toLocaleString('en')
}
