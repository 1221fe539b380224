import { printedOf, UNKNOWN_VALUE } from '../../../dimensions/dimension.ts'
import { dimensions } from '../../../dimensions/dimensions.ts'
import type { RowQueries } from '../row-queries.ts'
import type { Filters } from '../stats-query.ts'
import type { Block } from './block.ts'
import type { Mask } from './tally.ts'

/**
 * Returns what tells which values of a block fit filters: those that breakdowns print as a filter has them. The text of each is
 * read once.
 */
export function createMasks(filters: Filters, readTexts: RowQueries['texts']): (block: Block) => Promise<Mask[]> {
  const sought = dimensions.map(({ name }) => filters[name] && new Set(filters[name]))
  const known = dimensions.map(() => new Map<number, boolean>())

  async function maskOf(block: Block, at: number): Promise<Mask> {
    const [values, dimension, fits, column] = [sought[at], dimensions[at], known[at], block.columns[at]]
    if (values === undefined || dimension === undefined || fits === undefined || column === undefined) return undefined
    const added = column.ids.filter((id) => !fits.has(id))
    const textOf = await readTexts(added)
    for (const id of added) fits.set(id, values.has(printedOf(dimension, textOf(id)) ?? UNKNOWN_VALUE))
    return Uint8Array.from(column.ids, (id) => (fits.get(id) === true ? 1 : 0))
  }

  return (block) => Promise.all(dimensions.map((_, at) => maskOf(block, at)))
}
