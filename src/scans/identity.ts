import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { openToRead } from '../db/copy.ts'

/** Links that are looked at, whether the store of links knows them: all that have scans, when they are no more. */
const SAMPLE = 1_000
/** Of more, such runs of neighbours are looked at, which lie anywhere. */
const RUN = 50

/** What the scans say of the links that they are of. */
export interface ScansIdentity {
  /** The name of the store that has the links; undefined where none was noted yet. */
  instance: string | undefined
  /** The newest link that was kept for good in that store; undefined when there was none yet. */
  newest: number | undefined
  /** Some of the links that have scans. */
  sample: number[]
}

/** What is noted in `scans.db` about the links. */
export interface IdentityNotes {
  /** Notes whose links the scans are of, in place of what was noted. */
  belongTo: (instance: string) => void
  /** Notes the newest link that is kept for good. */
  noteNewest: (linkId: number) => void
}

export function openIdentity(db: DatabaseSync): IdentityNotes {
  const writeNewest = db.prepare('update instance set newest = ?')
  let noted: number | undefined
  return {
    belongTo(instance) {
      // Another process may hold the write lock.
      if (db.prepare('select id from instance').get()?.['id'] === instance) return
      const write = `insert into instance values (1, ?, null)
        on conflict (one) do update set id = excluded.id, newest = null`
      db.prepare(write).run(instance)
      noted = undefined
    },
    noteNewest(linkId) {
      if (linkId === noted) return
      writeNewest.run(linkId)
      noted = linkId
    },
  }
}

/**
 * Reads what `scans.db`, or a copy of it, says of itself; nothing in it is changed. Undefined when there is none.
 * @throws when it is no database
 */
export function readScansIdentity(file: string): ScansIdentity | undefined {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined
  const db = openToRead(file)
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").all()
    const has = (table: string) => tables.some(({ name }) => name === table)
    const noted = has('instance') ? db.prepare('select id, newest from instance').get() : undefined
    const sample = has('totals') ? readSample(db) : []
    if (noted !== undefined) {
      const { id, newest } = noted as { id: string; newest: number | null }
      return { instance: id, newest: newest ?? undefined, sample }
    }
    // Before the newest one was noted, links were numbered one after the other.
    return { instance: undefined, newest: has('totals') ? readLast(db) : undefined, sample }
  } finally {
    db.close()
  }
}

function readLast(db: DatabaseSync): number | undefined {
  const { last } = db.prepare('select max(link_id) as last from totals').get() as { last: number | null }
  return last ?? undefined
}

/** However many links there are, this takes no longer than a few hundred look-ups. */
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
  const anywhere = () => Math.floor(least + Math.random() * (most - least))
  return [...new Set(Array.from({ length: SAMPLE / RUN }, () => idsFrom(anywhere(), RUN)).flat())]
}
