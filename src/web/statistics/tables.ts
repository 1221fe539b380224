import { dimensionNames } from '../../dimensions/dimensions.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import { MONDAY } from './heat.ts'

/** The tables that a page shows, as records with a header, by the names of their files; none of what it does not show. */
export function tablesOf({ series, hours, heat, breakdowns }: Stats): Map<string, string[][]> {
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
  if (heat !== undefined) tables.set('heat.csv', [['weekday', 'hour', 'scans'], ...heat.flatMap(hoursOf)])
  return tables
}

function hoursOf(scans: number[], day: number): string[][] {
  const weekday = MONDAY.add({ days: day }).toLocaleString('en', { weekday: 'long' })
  return scans.map((count, hour) => [weekday, String(hour), String(count)])
}
