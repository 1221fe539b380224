import type { DatabaseSync } from 'node:sqlite'
import { slotsOfHour, type MissingRows, type StoredRows } from '../folding/raw-bound.ts'

/** Scans that are counted and have no row. */
export interface MissingRowsTable {
  stored: StoredRows
  /** To be called in the transaction that counts them. */
  add: (missing: MissingRows) => void
}

export function openMissingRows(db: DatabaseSync): MissingRowsTable {
  const sumOf = (table: string) =>
    `(select coalesce(sum(humans + bots), 0) from ${table} where link_id = ?1 and slot between ?2 and ?3)`
  const ever = db.prepare('select humans + bots as scans from totals where link_id = ?')
  const inHour = db.prepare(`select ${sumOf('quarter_hourly')} - ${sumOf('raw_missing')} as scans`)
  const names = ['humans', 'human_firsts', 'bots', 'bot_firsts']
  const upsert = db.prepare(
    `insert into raw_missing values (?, ?, ?, ?, ?, ?) on conflict (link_id, slot) do update
     set ${names.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  )
  return {
    stored: {
      atMost: (linkId) => (ever.get(linkId) as { scans: number } | undefined)?.scans ?? 0,
      inHour: (linkId, hour) => (inHour.get(linkId, ...slotsOfHour(hour)) as { scans: number }).scans,
    },
    add(missing) {
      for (const [linkId, slots] of missing) {
        for (const [slot, counts] of slots) upsert.run(linkId, slot, ...counts)
      }
    },
  }
}
