import { readdirSync } from 'node:fs'
import { syncPath } from '../../lib/sync-path.ts'
import { dayOf } from '../calendar.ts'
import { readFree } from '../../disk/space.ts'
import { chunkBoundsOf } from './chunk-bounds.ts'
import { openFirstOfDay } from './first-of-day.ts'
import { asFileError, HeldError } from '../folding/fold-file.ts'
import { untoldOf } from '../folding/first-visits.ts'
import { createFold, type Fold } from '../folding/fold.ts'
import type { FoldTarget } from '../folding/fold-target.ts'
import { destroyBefore } from '../describing/visitors.ts'
import type { SqliteWarehouse } from './warehouse.ts'

export interface Folders {
  journal: string
  visitors: string
}

/**
 * Opens the fold into the store in SQLite.
 * @param yieldNow called often during long work
 * @param chunkScansOf as for `createFold`
 */
export function openFold(
  warehouse: SqliteWarehouse,
  folders: Folders,
  yieldNow: () => void = () => {},
  chunkScansOf?: (bytes: number) => number,
): Fold {
  return createFold(openTarget(warehouse, folders, yieldNow), folders.journal, chunkScansOf)
}

function openTarget(warehouse: SqliteWarehouse, folders: Folders, yieldNow: () => void): FoldTarget {
  let damaged: string[] = []
  const firsts = openFirstOfDay(folders.visitors, yieldNow, (file) => damaged.push(file))
  let today = Number.NaN
  // Asked anew before each transaction: what the main thread has found may be of before the last ones.
  const isHeld = () => readFree(folders.journal) < warehouse.bound.foldNeeds()

  return {
    most: chunkBoundsOf(folders.journal),
    mark: warehouse.mark,
    async commit(scans, { from, ...mark }) {
      await warehouse.log.shorten()
      if (isHeld()) await warehouse.log.shorten(0)
      if (isHeld()) throw new HeldError()
      const chunk = { journal: mark.journal, from, scans }
      const flagged = asFileError(() => firsts.flag(chunk, warehouse.bound.addsVisitors()))
      const onlyCounted = warehouse.add(flagged, mark)
      warehouse.bound.noteUntold(untoldOf(flagged))
      return onlyCounted
    },
    confirm: warehouse.confirm,
    async finish(now) {
      // Also where nothing is folded, because the disk is full.
      await warehouse.log.shorten()
      const day = dayOf(now)
      if (day === today) return
      firsts.close()
      destroyBefore(folders.visitors, day)
      // A power loss can bring a removed file back until its removal is synced; its mark keeps it from being folded twice.
      syncPath(folders.journal)
      warehouse.retainMarks(readdirSync(folders.journal))
      today = day
    },
    damagedKeys() {
      const found = damaged
      damaged = []
      return found
    },
    lost: warehouse.lost,
    close: firsts.close,
  }
}
