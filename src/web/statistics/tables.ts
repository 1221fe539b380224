import { dimensionNames } from '../../dimensions/dimensions.ts'
import { MONDAY } from './heat.ts'
import type { ShownStats } from './view.ts'

/** The tables that a page shows, as records with a header, by the names of their files; none of what it does not show. */
export function tablesOf({ series, hours, heat, breakdowns }: ShownStats): Map<string, string[][]> {
  const counts = ['scans', 'unique_visitors']
  const periods = hours?.map(({ at, ...counted }) => ({ date: at, ...counted })) ?? series
  const tables = new Map([
    [
      'series.csv',
      [
        ['date', ...counts],
        ...periods.map(({ date, scans, unique_visitors: visitors }) => [date, String(scans), String(visitors)]),
      ],
    ],
  ])
  for (const name of dimensionNames) {
    const header = name === 'city' ? [name, 'country', ...counts] : [name, ...counts]
    const rows = breakdowns[name].map(({ value, country, scans, unique_visitors: visitors }) => [
      value ?? '',
      ...(name === 'city' ? [country ?? ''] : []),
      String(scans),
      String(visitors),
    ])
    tables.set(`${name}.csv`, [header, ...rows])
  }
  for (const [name, table] of tablesOfMany(breakdowns, counts)) tables.set(name, table)
  if (heat !== undefined) tables.set('heat.csv', [['weekday', 'hour', 'scans'], ...heat.flatMap(hoursOf)])
  return tables
}

/** What several links have beside the tables of one. */
function tablesOfMany({ link, campaign }: ShownStats['breakdowns'], counts: string[]): [string, string[][]][] {
  if (link === undefined || campaign === undefined) return []
  const numbers = (row: { scans: number; unique_visitors: number }) => [String(row.scans), String(row.unique_visitors)]
  const links = link.map(({ code, title, ...row }) => [code, title ?? '', ...numbers(row)])
  const campaigns = campaign.map(({ value, ...row }) => [value ?? '', ...numbers(row)])
  return [
    ['link.csv', [['code', 'title', ...counts], ...links]],
    ['campaign.csv', [['campaign', ...counts], ...campaigns]],
  ]
}

function hoursOf(scans: number[], day: number): string[][] {
  const weekday = MONDAY.add({ days: day }).toLocaleString('en', { weekday: 'long' })
  return scans.map((count, hour) => [weekday, String(hour), String(count)])
}
