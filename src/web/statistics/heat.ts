import { html, type Html } from '../../http/html.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import type { Formats } from './formats.ts'
import { shadesLegend, shadesUpTo } from './shades.ts'

/** A Monday. */
export const MONDAY = Temporal.PlainDate.from('2026-01-05')

/**
 * The visits of each hour of the week, as a table whose cells are shaded: a column for each day, because a phone has room for
 * seven, and a row for each hour.
 * @param heat 7 days, Monday first, of 24 hours
 * @param downloads what stands below it
 */
export function heatTable(
  heat: number[][],
  { heat: texts }: StatisticsTexts,
  formats: Formats,
  downloads: Html | undefined,
): Html {
  const shades = shadesUpTo(Math.max(...heat.flat()), formats)
  const days = heat.map((_, at) => MONDAY.add({ days: at }).toString())
  const hours = Array.from({ length: 24 }, (_, hour) => hour)
  return html`<div class="card stats-heat" id="heat">
    <table>
      <caption>
        <h3>${texts.heading}</h3>
      </caption>
      <thead>
        <tr>
          <th scope="col">${texts.hour}</th>
          ${days.map((day) => html`<th scope="col"><abbr title="${formats.longWeekday(day)}">${formats.weekday(day)}</abbr></th>`)}
        </tr>
      </thead>
      <tbody>
        ${hours.map(
          (hour) =>
            html`<tr>
              <th scope="row">${formats.hour(`2026-01-05T${String(hour).padStart(2, '0')}:00:00`)}</th>
              ${heat.map((of) => html`<td class="shade-${shades.of(of[hour] ?? 0)}">${formats.number(of[hour] ?? 0)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
    ${shadesLegend(shades)} ${downloads}
  </div>`
}
