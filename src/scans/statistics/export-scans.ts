import { printedOf } from '../../dimensions/dimension.ts'
import { dimensions } from '../../dimensions/dimensions.ts'
import type { ExportTable } from './export-table.ts'

/** The dimensions whose columns stand before those of no dimension; later ones follow these. */
const EARLY = 7
/** Columns of the first version that imported tables: without `placement`. */
const FIRST_COLUMNS = 11
const nameOf = ({ name }: { name: string }) => name
const [early, late] = [dimensions.slice(0, EARLY), dimensions.slice(EARLY)]

/** Raw scans, oldest first. */
export const scansTable: ExportTable = {
  columns: ['scanned_at', ...early.map(nameOf), 'unique', 'bot', ...late.map(nameOf)],
  firstColumns: FIRST_COLUMNS,
  async read(queries, linkId, after, limit) {
    const rows = await queries.scansAfter(linkId, after, limit)
    const textOf = await queries.texts(rows.flatMap((row) => dimensions.map(({ name }) => row[name])))
    return rows.map((row) => {
      const cellOf = (dimension: (typeof dimensions)[number]) => printedOf(dimension, textOf(row[dimension.name]))
      return {
        key: [row.at, row.n],
        cells: [
          new Date(row.at).toISOString(),
          ...early.map(cellOf),
          row.first === 1,
          row.bot === 1,
          ...late.map(cellOf),
        ],
      }
    })
  },
}
