import type { Query } from '../../nodes/database/session.ts'
import type { PageQueries, ScanRow, SlotRow, ValueRow } from '../statistics/row-queries.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'

const counts = 'humans, human_firsts, bots, bot_firsts'

/** Reads pages of the tables of a link. */
export function openPages(query: Query): PageQueries {
  return {
    // The second condition, which the first one implies, excludes the partitions of the months before.
    scansAfter: (linkId, [at = 0, n = 0], limit) =>
      query<ScanRow>(
        `select at, n, ${dimensionNames.join()}, first, bot from quirl_scans.scans
         where link_id = $1 and (at, n) > ($2, $3) and at >= $2 order by at, n limit $4`,
        [linkId, at, n, limit],
      ),
    slotsAfter: (linkId, [slot = -1], limit) =>
      query<SlotRow>(
        `select slot, ${counts} from quirl_scans.quarter_hourly where link_id = $1 and slot > $2 order by slot limit $3`,
        [linkId, slot, limit],
      ),
    valuesAfter: (table, linkId, [period = -1, dimension = 0, value = 0], limit) =>
      query<ValueRow>(
        `select period, dimension, value, ${counts} from quirl_scans.${table}
         where link_id = $1 and (period, dimension, value) > ($2, $3, $4) order by period, dimension, value limit $5`,
        [linkId, period, dimension, value, limit],
      ),
  }
}
