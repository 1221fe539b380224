import { html, type Html } from '../../http/html.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import { nextMilestone, reachedMilestone } from '../../webhooks/milestones.ts'
import type { Column } from './columns.ts'
import { hasFilters } from './filters.ts'
import type { Formats } from './formats.ts'
import type { StatisticsView } from './view.ts'

/** Longer lists are folded. */
const MOST_UNFOLDED = 5

/** A moment that the chart marks. */
export interface Mark {
  kind: 'change' | 'goal'
  /** The place of its column. */
  at: number
  /** When it was, and what. */
  when: string
  text: string
}

/** The marks of the chart of a link, oldest first: what the owner has changed, and the milestones of visits by people. */
export function marksOf(
  view: StatisticsView,
  stats: Stats,
  columns: Column[],
  texts: StatisticsTexts,
  formats: Formats,
): Mark[] {
  if (!view.query.isDetailed || view.link === undefined) return []
  const changes = (view.changes ?? []).flatMap(({ at, text }): Mark[] => {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(stats.timezone).toPlainDateTime()
    const column = columnOf(stats, at, local.toPlainDate().toString())
    const when = `${formats.date(local.toPlainDate().toString())}, ${formats.time(local.toString().slice(0, 19))}`
    return column < 0 ? [] : [{ kind: 'change', at: column, when, text }]
  })
  const goals = goalsIn(view, columns).map(({ at, milestone }): Mark => ({
    kind: 'goal',
    at,
    when: columns[at]?.name ?? '',
    text: texts.marks.goal(formats.number(milestone)),
  }))
  return [...changes, ...goals].sort((a, b) => a.at - b.at)
}

/** The column of a moment; -1 for one outside of the window. */
function columnOf({ series, hours, from, to }: Stats, at: number, date: string): number {
  if (date < from || date > to) return -1
  const starts = hours?.map((hour) => hour.at) ?? series.map((period) => period.date)
  return starts.findLastIndex((start) => (start.length > 10 ? Date.parse(start) <= at : start <= date))
}

/**
 * The columns in which milestones were reached: known where all visits by people until now are, and those of each column. What the
 * columns until now have not counted came before them.
 */
function goalsIn({ totals, query }: StatisticsView, columns: Column[]): { at: number; milestone: number }[] {
  const isAll = query.audience === 'human' && !hasFilters(query)
  if (totals === undefined || !isAll || !columns.some(({ isNow }) => isNow)) return []
  let sum = totals.humans - columns.reduce((all, { scans }) => all + scans, 0)
  return columns.flatMap(({ scans }, at) => {
    const before = Math.max(0, sum)
    sum += scans
    const reached = reachedMilestone(sum)
    return reached > reachedMilestone(before) ? [{ at, milestone: reached }] : []
  })
}

/** The marks in words, and the next milestone, for the owner. */
export function marksList(
  view: StatisticsView,
  marks: Mark[],
  texts: StatisticsTexts,
  formats: Formats,
): Html | undefined {
  const { totals, query, milestones, link } = view
  if (!query.isDetailed || totals === undefined || link === undefined) return undefined
  const next = nextMilestone(reachedMilestone(totals.humans))
  const { marks: words } = texts
  const list = html`<ul class="stats-marks" aria-label="${words.label}">
    ${marks.map(
      ({ kind, when, text }) =>
        html`<li class="${kind}"><span class="quiet">${when}:</span> <span dir="auto">${text}</span></li>`,
    )}
  </ul>`
  const folded = html`<details class="stats-more">
    <summary>${words.label}</summary>
    ${list}
  </details>`
  return html`${marks.length > 0 && (marks.length > MOST_UNFOLDED ? folded : list)}
    <p class="stats-next quiet small">
      ${words.next(formats.number(next), formats.number(totals.humans))}
      ${milestones === 'possible' && html`<a href="#settings-webhook">${words.report}</a>`}
      ${milestones === 'reported' && words.reported}
    </p>`
}
