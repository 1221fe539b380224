import type { DatabaseSync } from 'node:sqlite'
import type { Group } from '../folding/increments.ts'
import { addIncrements, addToRollups, type RollupWriter } from '../folding/rollup.ts'
import { importedGroups, type ImportedCount } from '../import/clicks.ts'
import { partIncrements, storedScans, visitGroups, type ImportedPart, type Taken } from '../import/part.ts'
import type { FoldedScan } from '../scan.ts'
import type { Dictionary } from './dictionary.ts'

/** What was counted elsewhere. */
export interface Imports {
  /** Adds visits that another service has counted, once for each link. */
  addImported: (counts: readonly ImportedCount[]) => void
  /** Adds a part of a bundle or of visits if it is the next one. @returns what the link has taken then */
  addPart: (part: ImportedPart) => Taken
}

/** What imports need of the warehouse. */
interface Needs {
  db: DatabaseSync
  rollups: RollupWriter
  /** Runs work in a transaction. */
  change: <T>(work: () => T) => T
  /** @returns the scans in groups, for the rollups */
  addScans: (scans: FoldedScan[]) => Iterable<Group>
  dictionary: Pick<Dictionary, 'idOf' | 'idsOf'>
}

export function openImports({ db, rollups, change, addScans, dictionary }: Needs): Imports {
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
        addToRollups(rollups, visitGroups(part, addScans(storedScans(part)), dictionary.idsOf))
        const increments = partIncrements(part, dictionary.idOf)
        if (increments !== undefined) addIncrements(rollups, linkId, increments)
        move.run(position + count, linkId)
        return { bundle, position: position + count }
      }),
  }
}
