import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { openToRead } from '../../db/sqlite/copy.ts'

/** Up to this many links with scans, the sample has all of them. */
const SAMPLE = 1_000
/** The sample of a larger table consists of runs of this many neighbours from random positions. */
const RUN = 50

/** What `scans.db` records about the links that its scans belong to. */
export interface ScansIdentity {
  /** The id of the link store; undefined when none is recorded yet. */
  instance: string | undefined
  /** The newest committed link of that store; undefined without any. */
  newest: number | undefined
  /** A sample of the links that have scans. */
  sample: number[]
}

/** Writes the identity into `scans.db`. */
export interface IdentityWriter {
  /** Records the id of the link store, in place of the former one. */
  setInstance: (instance: string) => void
  /** Records the newest committed link. */
  setNewestLink: (linkId: number) => void
}

export function openIdentity(db: DatabaseSync): IdentityWriter {
  const writeNewest = db.prepare('update instance set newest = ?')
  let written: number | undefined
  return {
    setInstance(instance) {
      // Another process may hold the write lock.
      if (db.prepare('select id from instance').get()?.['id'] === instance) return
      const write = `insert into instance values (1, ?, null)
        on conflict (one) do update set id = excluded.id, newest = null`
      db.prepare(write).run(instance)
      written = undefined
    },
    setNewestLink(linkId) {
      if (linkId === written) return
      writeNewest.run(linkId)
      written = linkId
    },
  }
}

/**
 * Reads the identity from `scans.db`, or from a copy, without changing the file.
 * @returns undefined when the file is missing or empty
 * @throws when the file is not a database
 */
export function readScansIdentity(file: string): ScansIdentity | undefined {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined
  const db = openToRead(file)
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").all()
    const has = (table: string) => tables.some(({ name }) => name === table)
    const recorded = has('instance') ? db.prepare('select id, newest from instance').get() : undefined
    const sample = has('totals') ? readSample(db) : []
    if (recorded !== undefined) {
      const { id, newest } = recorded as { id: string; newest: number | null }
      return { instance: id, newest: newest ?? undefined, sample }
    }
    // Versions that did not record the newest link numbered links sequentially.
    return { instance: undefined, newest: has('totals') ? readLast(db) : undefined, sample }
  } finally {
    db.close()
  }
}

function readLast(db: DatabaseSync): number | undefined {
  const { last } = db.prepare('select max(link_id) as last from totals').get() as { last: number | null }
  return last ?? undefined
}

/** Takes at most some hundred index look-ups, however many links there are. */
function readSample(db: DatabaseSync): number[] {
  const page = db.prepare('select link_id from totals where link_id >= ? order by link_id limit ?')
  const idsFrom = (id: number, limit: number) =>
    (page.all(id, limit) as { link_id: number }[]).map((row) => row.link_id)
  const first = idsFrom(0, SAMPLE + 1)
  if (first.length <= SAMPLE) return first
  const { least, most } = db
    .prepare('select (select min(link_id) from totals) as least, (select max(link_id) from totals) as most')
    .get() as {
    least: number
    most: number
  }
  const randomId = () => Math.floor(least + Math.random() * (most - least))
  return [...new Set(Array.from({ length: SAMPLE / RUN }, () => idsFrom(randomId(), RUN)).flat())]
}
