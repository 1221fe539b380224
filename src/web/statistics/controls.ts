import { html, type Html } from '../../http/html.ts'
import { dateAt } from '../../scans/statistics/windows.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import { addressOf, hiddenFields } from './address.ts'
import { datesOf, intervalsOf, presetsOf } from './page-window.ts'
import type { PageQuery, StatisticsView } from './view.ts'

const lengths = [1, 7, 30, 90, 365]

type Choosing = Pick<StatisticsView, 'path' | 'query' | 'now' | 'hasDetails'>

/** A link that changes what is shown, marked when that is shown already. */
function choice({ path, query, now }: Choosing, change: Partial<PageQuery>, text: Html | string): Html {
  const next = fitting({ ...query, ...change }, now)
  const address = addressOf(path, next)
  const isCurrent = address === addressOf(path, query)
  return html`<a href="${address}" ${isCurrent && html`aria-current="true"`}>${text}</a>`
}

/** Another window may be too short, or too long, for the interval. */
function fitting(query: PageQuery, now: number): PageQuery {
  const { days } = datesOf(query.window, dateAt(now, query.tz))
  const fits = query.interval !== undefined && intervalsOf(days, true).includes(query.interval)
  return fits ? query : { ...query, interval: undefined }
}

/** The links that choose the last days, the visitors, and how much is shown. */
export function choices(view: Choosing, texts: StatisticsTexts): Html {
  const { query } = view
  const audiences = ['human', 'all', ...(query.audience === 'bot' ? (['bot'] as const) : [])] as const
  const { views } = texts
  return html`<div class="row stats-choices">
    <nav class="tabs stats-period" aria-label="${texts.period}">
      ${lengths.map((days) =>
        choice(view, { window: { days } }, days === 1 ? texts.today : html`${days}<span> ${texts.days}</span>`),
      )}
    </nav>
    <nav class="tabs" aria-label="${texts.visitors}">
      ${audiences.map((audience) => choice(view, { audience }, texts.audiences[audience]))}
    </nav>
    <nav class="tabs" aria-label="${views.label}">
      ${choice(view, { isDetailed: false }, views.overview)} ${choice(view, { isDetailed: true }, views.detail)}
    </nav>
  </div>`
}

/** Any window, and how it is cut and compared. */
export function detailedChoices(view: Choosing, texts: StatisticsTexts): Html | undefined {
  const { query, now, hasDetails } = view
  if (!query.isDetailed) return undefined
  const today = dateAt(now, query.tz)
  const { presets, intervals, comparisons } = texts
  const possible = intervalsOf(datesOf(query.window, today).days, hasDetails)
  // Days are what the chart shows when nobody has chosen.
  const shown = query.interval ?? 'day'
  return html`<div class="card stats-detail">
    <div class="row">
      <nav class="tabs" aria-label="${presets.label}">
        ${presetsOf(today).map(({ name, ...preset }) =>
          choice(view, { ...preset, ...(!hasDetails && { compare: 'previous' }) }, presets[name]),
        )}
      </nav>
      ${rangeForm(view, today, texts)}
    </div>
    <div class="row">
      ${
        possible.length > 1 &&
        html`<span class="quiet small" aria-hidden="true">${intervals.label}</span>
          <nav class="tabs" aria-label="${intervals.label}">
            ${possible.map((interval) => choice({ ...view, query: { ...query, interval: shown } }, { interval }, intervals[interval]))}
          </nav>`
      }
      ${
        hasDetails &&
        html`<span class="quiet small" aria-hidden="true">${comparisons.label}</span>
          <nav class="tabs" aria-label="${comparisons.label}">
            ${(['previous', 'year'] as const).map((compare) => choice(view, { compare }, comparisons[compare]))}
          </nav>`
      }
    </div>
  </div>`
}

/** The form that chooses the first and the last day. */
function rangeForm({ path, query }: Choosing, today: Temporal.PlainDate, { range }: StatisticsTexts): Html {
  const { first, last } = datesOf(query.window, today)
  const input = (name: 'from' | 'to', date: Temporal.PlainDate) =>
    html`<label
      >${range[name]} <input type="date" name="${name}" value="${date.toString()}" max="${today.toString()}" required
    /></label>`
  return html`<form action="${path}#statistics" class="row stats-range">
    ${input('from', first)} ${input('to', last)} ${hiddenFields(query, ['days', 'from', 'to'])}
    <button class="plain">${range.show}</button>
  </form>`
}

/** UTC, which is the default, and the zones that the runtime knows. */
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

const zoneOptions = new Map(zones.map((zone) => [zone, html`<option>${zone}</option>`]))

/** The form that chooses the time zone. */
export function zoneForm({ path, query }: Choosing, texts: StatisticsTexts): Html {
  return html`<details class="stats-zone">
    <summary>${texts.zone}: ${query.tz}</summary>
    <form action="${path}#statistics" class="row">
      ${hiddenFields(query, ['tz'])}
      <select name="tz" aria-label="${texts.zone}">
        <option selected>${query.tz}</option>
        ${zones.map((zone) => (zone === query.tz ? undefined : zoneOptions.get(zone)))}
      </select>
      <button class="plain">${texts.change}</button>
    </form>
  </details>`
}
