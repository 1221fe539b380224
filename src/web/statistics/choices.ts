import { html, type Html } from '../../http/html.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import type { PageQuery, StatisticsView } from './view.ts'

const lengths = [1, 7, 30, 90, 365]

/** The address of a page with a window, which can be bookmarked. */
export function addressOf(path: string, { days, audience, tz }: PageQuery): string {
  return `${path}?${new URLSearchParams({ days: String(days), audience, tz }).toString()}#statistics`
}

/** The links that choose the window. */
export function choices({ path, query }: StatisticsView, texts: StatisticsTexts): Html {
  const link = (change: Partial<PageQuery>, text: Html | string) => {
    const isCurrent = Object.entries(change).every(([name, value]) => query[name as keyof PageQuery] === value)
    return html`<a href="${addressOf(path, { ...query, ...change })}" ${isCurrent && html`aria-current="true"`}
      >${text}</a
    >`
  }
  const audiences = ['human', 'all', ...(query.audience === 'bot' ? (['bot'] as const) : [])] as const
  return html`<div class="row stats-choices">
    <nav class="tabs stats-period" aria-label="${texts.period}">
      ${lengths.map((days) => link({ days }, days === 1 ? texts.today : html`${days}<span> ${texts.days}</span>`))}
    </nav>
    <nav class="tabs" aria-label="${texts.visitors}">
      ${audiences.map((audience) => link({ audience }, texts.audiences[audience]))}
    </nav>
  </div>`
}

/** UTC, which is the default, and the zones that the runtime knows. */
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
const zoneOptions = new Map(zones.map((zone) => [zone, html`<option>${zone}</option>`]))

/** The form that chooses the time zone. */
export function zoneForm({ path, query }: StatisticsView, texts: StatisticsTexts): Html {
  return html`<details class="stats-zone">
    <summary>${texts.zone}: ${query.tz}</summary>
    <form action="${path}#statistics" class="row">
      <input type="hidden" name="days" value="${query.days}" />
      <input type="hidden" name="audience" value="${query.audience}" />
      <select name="tz" aria-label="${texts.zone}">
        <option selected>${query.tz}</option>
        ${zones.map((zone) => (zone === query.tz ? undefined : zoneOptions.get(zone)))}
      </select>
      <button class="plain">${texts.change}</button>
    </form>
  </details>`
}
