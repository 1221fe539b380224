import { dimensions } from '../../dimensions/dimensions.ts'
import { dateOfDay, dateOfMonth, startOfSlot } from '../calendar.ts'
import type { ExportTable } from './export-table.ts'
import type { CountsRow, ValueTable } from './row-queries.ts'

const countColumns = ['humans', 'unique_humans', 'bots', 'unique_bots']
const countsOf = ({ humans, human_firsts, bots, bot_firsts }: CountsRow) =>
  [humans, human_firsts, bots, bot_firsts].map(String)

/** Counts by quarter of an hour; a quarter without scans has no row. */
export const quarterHoursTable: ExportTable = {
  columns: ['starts_at', ...countColumns],
  async read(queries, linkId, after, limit) {
    const rows = await queries.slotsAfter(linkId, after, limit)
    return rows.map((row) => ({
      key: [row.slot],
      cells: [new Date(startOfSlot(row.slot)).toISOString(), ...countsOf(row)],
    }))
  },
}

/**
 * Counts by value of each dimension, of UTC days or months. A month is not the sum of its days where one of them has more
 * values than are counted apart.
 */
function valuesTable(table: ValueTable, period: string, dateOf: (period: number) => string): ExportTable {
  return {
    columns: [period, 'dimension', 'value', 'country', ...countColumns],
    async read(queries, linkId, after, limit) {
      const rows = await queries.valuesAfter(table, linkId, after, limit)
      const textOf = await queries.texts(rows.map(({ value }) => value))
      return rows.map((row) => ({
        key: [row.period, row.dimension, row.value],
        cells: [dateOf(row.period), ...valueCells(row.dimension, textOf(row.value)), ...countsOf(row)],
      }))
    },
  }
}

/** The name of the dimension, the value, and the country if it is a city; an unknown value is empty. */
function valueCells(at: number, text: string | null): string[] {
  const dimension = dimensions[at]
  const { value, country } = dimension?.tell(text) ?? { value: text }
  return [dimension?.name ?? '', value ?? '', country ?? '']
}

export const daysTable = valuesTable('daily', 'day', dateOfDay)
export const monthsTable = valuesTable('monthly', 'month', dateOfMonth)
