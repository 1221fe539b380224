import { html, type Html } from '../../http/html.ts'
import type { ValueCount } from '../../scans/statistics/breakdowns.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import { LINK_ITSELF, type Dimension } from '../../scans/warehouse-schema.ts'
import type { BreakdownTexts } from '../../texts/breakdowns.ts'
import type { Formats } from './formats.ts'
import { ownValue } from '../../lib/own-value.ts'

/** The order on the page. */
const order: Dimension[] = ['source', 'device', 'country', 'city', 'referrer', 'os', 'browser', 'answer']

/** The most frequent values of each dimension, with bars for their parts of all scans. */
export function breakdownPanels({ breakdowns, totals }: Stats, texts: BreakdownTexts, formats: Formats): Html {
  // Where no rule has answered, all scans have the one answer.
  const isShown = (dimension: Dimension) =>
    dimension !== 'answer' || breakdowns.answer.some(({ value }) => value !== LINK_ITSELF)
  return html`<div class="stats-panels">
    ${order.filter(isShown).map((dimension) => {
      const rows = breakdowns[dimension].map((row) => valueRow(dimension, row, totals.scans, texts, formats))
      return html`<div class="card">
        <table>
          <thead>
            <tr>
              <th scope="col"><h3>${texts.headings[dimension]}</h3></th>
              <th scope="col">${texts.scans}</th>
              <th scope="col">${texts.share}</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>`
    })}
  </div>`
}

function valueRow(dimension: Dimension, row: ValueCount, total: number, texts: BreakdownTexts, formats: Formats): Html {
  const share = total === 0 ? 0 : row.scans / total
  return html`<tr>
    <th scope="row">
      <span dir="auto">${nameOf(dimension, row, texts, formats)}</span>
      <svg aria-hidden="true"><rect width="${Math.round(share * 1000) / 10}%" height="100%" rx="2" /></svg>
    </th>
    <td>${formats.number(row.scans)}</td>
    <td>${formats.percent(share)}</td>
  </tr>`
}

function nameOf(dimension: Dimension, row: ValueCount, texts: BreakdownTexts, formats: Formats): Html | string {
  const { value } = row
  if (value === null) return texts.unknown
  if (value === '(other)') return texts.others
  return names[dimension]?.(value, texts, formats, row.country) ?? value
}

type Name = (
  value: string,
  texts: BreakdownTexts,
  formats: Formats,
  country?: string | null,
) => Html | string | undefined

/** How the values of a dimension read; of the others, as they are. */
const names: Partial<Record<Dimension, Name>> = {
  source: (value, { sources }) => ownValue(sources, value),
  device: (value, { devices }) => ownValue(devices, value),
  country: (value, _texts, formats) => html`${flag(value)} ${formats.country(value)}`,
  city: (value, _texts, formats, country) =>
    country ? html`${flag(country)} ${value}<span class="unseen">, ${formats.country(country)}</span>` : value,
  referrer: (value, { direct }) => (value === 'direct' ? direct : value),
  answer: (value, { linkItself, rule }) => (value === LINK_ITSELF ? linkItself : rule(value)),
}

const FIRST_INDICATOR = 0x1f1e6

/** The flag of an ISO 3166 code: two regional indicators (Unicode Technical Standard 51). */
function flag(code: string): Html | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined
  const indicators = [0, 1].map((at) => FIRST_INDICATOR + code.charCodeAt(at) - 65)
  return html`<span aria-hidden="true">${String.fromCodePoint(...indicators)}</span>`
}
