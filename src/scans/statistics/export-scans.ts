import { splitCity } from '../texts-of-scan.ts'
import { dimensions, LINK_ITSELF } from '../warehouse-schema.ts'
import type { ExportTable } from './export-table.ts'

/** Raw scans, oldest first. */
export const scansTable: ExportTable = {
  columns: [
    'scanned_at',
    'source',
    'device',
    'os',
    'browser',
    'country',
    'city',
    'referrer',
    'unique',
    'bot',
    'answer',
  ],
  async read(queries, linkId, after, limit) {
    const rows = await queries.scansAfter(linkId, after, limit)
    const textOf = await queries.texts(rows.flatMap((row) => dimensions.map((dimension) => row[dimension])))
    const text = (id: number) => textOf(id) ?? ''
    return rows.map((row) => ({
      key: [row.at, row.n],
      cells: [
        new Date(row.at).toISOString(),
        text(row.source),
        text(row.device),
        text(row.os),
        text(row.browser),
        text(row.country),
        splitCity(text(row.city)).city ?? '',
        text(row.referrer),
        String(row.first === 1),
        String(row.bot === 1),
        text(row.answer) || LINK_ITSELF,
      ],
    }))
  },
}
