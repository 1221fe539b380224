import type { DatabaseSync } from 'node:sqlite'
import { addIncrements, addToRollups, type RollupWriter } from '../folding/rollup.ts'
import { importedGroups, type ImportedCount } from '../import/clicks.ts'
import { partIncrements, type ImportedPart, type Taken } from '../import/part.ts'
import type { FoldedScan } from '../scan.ts'

/** What was counted elsewhere. */
export interface Imports {
  /** Adds visits that another service has counted, once for each link. */
  addImported: (counts: readonly ImportedCount[]) => void
  /** Adds a part of a bundle if it is the next one. @returns what the link has taken then */
  addPart: (part: ImportedPart) => Taken
}

/** What imports need of the warehouse. */
interface Needs {
  db: DatabaseSync
  rollups: RollupWriter
  /** Runs work in a transaction. */
  change: <T>(work: () => T) => T
  addScans: (scans: FoldedScan[]) => unknown
  idOf: (text: string | null) => number
}

export function openImports({ db, rollups, change, addScans, idOf }: Needs): Imports {
  const insert = db.prepare('insert into imported (link_id, bundle) values (?, ?) on conflict do nothing')
  const read = db.prepare('select bundle, position from imported where link_id = ?')
  const move = db.prepare('update imported set position = ? where link_id = ?')
  return {
    addImported: (counts) =>
      change(() => {
        const added = counts.filter(({ linkId }) => insert.run(linkId, '').changes === 1)
        addToRollups(rollups, importedGroups(added))
      }),
    addPart: (part) =>
      change(() => {
        const { linkId, bundle, position, count } = part
        insert.run(linkId, bundle)
        const taken = { ...read.get(linkId) } as unknown as Taken
        if (taken.bundle !== bundle || taken.position !== position) return taken
        if (part.table === 'scans') addScans(part.rows.map((scan) => ({ ...scan, linkId })))
        const increments = partIncrements(part, idOf)
        if (increments !== undefined) addIncrements(rollups, linkId, increments)
        move.run(position + count, linkId)
        return { bundle, position: position + count }
      }),
  }
}
