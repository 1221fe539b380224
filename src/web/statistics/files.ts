import type { FastifyReply } from 'fastify'
import { Problem } from '../../http/problem.ts'
import { writeRecords } from '../../lib/csv.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import { statisticsTexts } from '../../texts/statistics.ts'
import { columnsOf } from './columns.ts'
import { filterNames } from './filters.ts'
import { formatsIn } from './formats.ts'
import { chartPicture, heatPicture, mapPicture, type Picture } from './pictures.ts'
import { tablesOf } from './tables.ts'
import { listNames } from './list-names.ts'
import type { StatisticsView } from './view.ts'

/** The names of all files. */
export const fileNames: ReadonlySet<string> = new Set([
  'series.csv',
  'heat.csv',
  'chart.svg',
  'heat.svg',
  'map.svg',
  ...listNames.map((name) => `${name}.csv`),
])

/** What a file of a page needs of its section. */
export interface FileView extends Pick<StatisticsView, 'query' | 'stats' | 'now' | 'language' | 'placement' | 'name'> {
  /** What the names of files begin with. */
  prefix: string
}

/**
 * Sends what a page shows as a file: a table as CSV, or a chart as SVG.
 * @throws {Problem} 404 when the page has no such file, 400 when filters ask for scans that are not stored any longer
 */
export function sendFile(reply: FastifyReply, name: string, view: FileView): FastifyReply {
  const { stats, prefix } = view
  if (stats === undefined)
    throw new Problem('beyond_retention', 'filters count single scans, which are not stored any longer for these days')
  const table = tablesOf(stats).get(name)
  const text = table === undefined ? pictureOf(name, stats, view) : writeRecords(table)
  if (text === undefined) throw new Problem('not_found', 'these statistics have no such file')
  return reply
    .headers({
      'content-type': table === undefined ? 'image/svg+xml; charset=utf-8' : 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${prefix}-${name}"`,
      // Opened, a picture runs and loads nothing.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    .send(text)
}

function pictureOf(name: string, stats: Stats, view: FileView): string | undefined {
  const { query, now, language } = view
  const [texts, formats] = [statisticsTexts[language], formatsIn(language)]
  const about = (heading: string): Picture => ({ heading, about: aboutOf(stats, view) })
  const charted = columnsOf(stats, query.interval, { now, texts, formats })
  if (name === 'chart.svg') return chartPicture(charted, about(texts.chart[charted.unit]), texts, formats)
  if (name === 'heat.svg' && stats.heat !== undefined)
    return heatPicture(stats.heat, about(texts.heat.heading), formats)
  return name === 'map.svg' ? mapPicture(stats, about(texts.map.heading), formats) : undefined
}

/** The link or the links, the days and the filters in a line. */
function aboutOf({ from, to, timezone }: Stats, view: FileView): string {
  const { language, query } = view
  const [texts, formats] = [statisticsTexts[language], formatsIn(language)]
  const days = texts.span(formats.date(from), formats.date(to), timezone)
  const filters = filterNames(view, texts).map(
    ({ heading, value, text }) => `${heading}: ${typeof text === 'string' ? text : value}`,
  )
  return [view.name.replace(/^https?:\/\//, ''), days, texts.audiences[query.audience], ...filters].join(' · ')
}
