import type { DatabaseSync } from 'node:sqlite'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import type { PageQueries, ScanRow, SlotRow, ValueRow } from '../statistics/row-queries.ts'

const counts = 'humans, human_firsts, bots, bot_firsts'

/** Reads pages of the tables of a link. */
export function openPages(db: DatabaseSync): PageQueries {
  return {
    scansAfter: async (linkId, [at = 0, n = 0], limit) =>
      db
        .prepare(
          `select at, n, ${dimensionNames.join()}, first, bot from scans
           where link_id = ? and (at, n) > (?, ?) order by at, n limit ?`,
        )
        .all(linkId, at, n, limit) as ScanRow[],
    slotsAfter: async (linkId, [slot = -1], limit) =>
      db
        .prepare(`select slot, ${counts} from quarter_hourly where link_id = ? and slot > ? order by slot limit ?`)
        .all(linkId, slot, limit) as SlotRow[],
    valuesAfter: async (table, linkId, [period = -1, dimension = 0, value = 0], limit) =>
      db
        .prepare(
          `select period, dimension, value, ${counts} from ${table}
           where link_id = ? and (period, dimension, value) > (?, ?, ?) order by period, dimension, value limit ?`,
        )
        .all(linkId, period, dimension, value, limit) as ValueRow[],
  }
}
