import { StartError } from '../lib/start-error.ts'
import { nameOf, type Table } from './table.ts'

/** Tables that are not moved, and why. A test fails when a table of either store is neither moved nor here. */
export const leftOut: Record<string, string> = {
  migrations: 'each store has its own, which its tables follow',
  leases: 'they are held by processes on the former store, and expire within seconds',
  'scans.migrations': 'each store has its own, which its tables follow',
  'scans.instance': 'it has the id of the links, which the new file gets as well',
  'scans.sweeps': 'it is about what the nodes on one store have cached',
  'scans.folds': 'each node writes there how far it has folded its journal, and does so again',
}

/** Schemas that are not moved, and not in a dump either. */
export const leftOutSchemas: Record<string, string> = {
  quirl_visitors: 'what could identify visitors never leaves its day: who returns on the day of the move counts as new',
  quirl_limits: 'quotas are counted anew',
}

/**
 * The tables to be moved, each after those that its rows refer to.
 * @throws {StartError} when the stores have different tables or columns
 */
export function planOf(source: Table[], target: Table[]): Table[] {
  const wanted = source.filter((table) => leftOut[nameOf(table)] === undefined)
  const found = new Map(target.map((table) => [nameOf(table), table]))
  for (const table of wanted) {
    const columns = found.get(nameOf(table))?.columns.join(', ')
    if (columns !== table.columns.join(', ') || table.keyLength === 0)
      throw new StartError(
        `the table ${nameOf(table)} is not the same in both stores: use one version of quirl for both`,
      )
  }
  return inOrderOfReferences(wanted)
}

function inOrderOfReferences(tables: Table[]): Table[] {
  const ordered: Table[] = []
  const add = (table: Table) => {
    if (ordered.includes(table)) return
    for (const parent of tables) if (parent.group === table.group && table.references.includes(parent.name)) add(parent)
    ordered.push(table)
  }
  for (const table of tables) add(table)
  return ordered
}
