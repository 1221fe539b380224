import { prepareArrays } from '../../db/sqlite/array-rows.ts'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { OTHER, textColumns } from '../text-ids.ts'
import type { Dictionary } from './dictionary.ts'
import { transaction } from './transaction.ts'

/** Rows of one read: the thread serves other calls in between. */
const STEP = 10_000

const valueKey = ['link_id', 'period', 'dimension', 'value']
const keys: Readonly<Record<string, string[]>> = { monthly: valueKey, daily: valueKey, scans: ['link_id', 'at', 'n'] }

/** The texts that may be unused since rows were removed. They are noted in the database, so that none is forgotten. */
export interface UnusedTexts {
  /** To be called in the transaction that removes rows with these ids. */
  note: (ids: Iterable<number>) => void
  /** Removes those that no row has any more: reads every row, until all are found. */
  sweep: () => Promise<void>
}

export function openUnusedTexts(db: DatabaseSync, dictionary: Dictionary): UnusedTexts {
  const insert = db.prepare('insert into unused (id) values (?) on conflict do nothing')
  const list = db.prepare('select id from unused')
  const forget = db.prepare('delete from unused where id = ?')
  /** Those that were noted since the sweep began that runs. */
  let again = new Set<number>()

  /** Removes the unused ones, and forgets all that were listed but those that have been noted again. */
  async function finish(listed: number[], unused: Set<number>): Promise<void> {
    for (let at = 0; at < listed.length; at += STEP, await yieldToEventLoop()) {
      const ids = listed.slice(at, at + STEP)
      transaction(db, () => {
        dictionary.remove(ids.filter((id) => unused.has(id)))
        for (const id of ids) if (unused.has(id) || !again.has(id)) forget.run(id)
      })
    }
  }

  return {
    note(ids) {
      for (const id of new Set(ids)) {
        if (id <= OTHER) continue
        insert.run(id)
        again.add(id)
      }
    },
    async sweep() {
      const listed = list.all().map(({ id }) => Number(id))
      if (listed.length === 0) return
      again = new Set()
      const unused = new Set(listed)
      dictionary.watch(unused)
      try {
        await findUsed(db, unused)
        await finish(listed, unused)
      } finally {
        dictionary.watch(undefined)
      }
    },
  }
}

/** Takes what rows have out of the set. */
async function findUsed(db: DatabaseSync, unused: Set<number>): Promise<void> {
  for (const [table, columns] of Object.entries(textColumns)) {
    const key = keys[table] ?? []
    const order = key.join(', ')
    const read = prepareArrays<number[]>(
      db,
      `select ${order}, ${columns.join(', ')} from ${table} where (${order}) > (${key.map(() => '?').join(', ')})
       order by ${order} limit ${STEP}`,
    )
    let last = key.map(() => Number.MIN_SAFE_INTEGER)
    for (let count = STEP; count === STEP && unused.size > 0; await yieldToEventLoop()) {
      const rows = read.all(...last)
      for (const id of rows.flatMap((row) => row.slice(key.length))) unused.delete(id)
      count = rows.length
      last = rows.at(-1)?.slice(0, key.length) ?? last
    }
  }
}
