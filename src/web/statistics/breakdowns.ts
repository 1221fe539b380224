import { dimensions, type DimensionName } from '../../dimensions/dimensions.ts'
import { html, type Html } from '../../http/html.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import { breakdownTexts } from '../../texts/breakdowns.ts'
import { statisticsTexts } from '../../texts/statistics.ts'
import { addressOf } from './address.ts'
import { downloads } from './downloads.ts'
import { isFiltered, mayFilter, withRow } from './filters.ts'
import { formatsIn, type Formats } from './formats.ts'
import { longList, type NamedRow, type PanelsView } from './long-list.ts'
import { nameIn } from './value-name.ts'

const inOrder = dimensions.toSorted((a, b) => a.panel - b.panel)

/** The most frequent values of each dimension, with bars for their parts of all scans; all of the one that is listed. */
export function breakdownPanels({ breakdowns, totals }: Stats, view: PanelsView): Html {
  const { language, query } = view
  const texts = breakdownTexts[language]
  const formats = { ...formatsIn(language), ...(view.placement && { placement: view.placement }) }
  // Where no scan has a value, all are the rest.
  const isShown = ({ name, rest }: (typeof dimensions)[number]) =>
    rest === undefined || breakdowns[name].some(({ value }) => (value ?? '') !== rest)
  return html`${inOrder.filter(isShown).map(({ name, words, top }) => {
    const nameOf = nameIn(words[language], texts, formats)
    const rows = breakdowns[name].map((row): NamedRow => ({ ...row, name: nameOf(row) }))
    const { heading } = words[language]
    const list =
      query.list?.name === name || rows.length > top ? longList(view, { name, heading, rows, top }) : undefined
    const shown = list?.rows ?? rows
    return html`<div class="card" id="list-${name}">
      ${list?.above}
      <table>
        <thead>
          <tr>
            <th scope="col"><h3>${heading}</h3></th>
            <th scope="col">${texts.scans}</th>
            <th scope="col">${texts.share}</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map((row) => valueRow(row, filterLink(view, name, row), totals.scans, formats))}
        </tbody>
      </table>
      ${list?.below} ${downloads(view, [`${name}.csv`], heading, statisticsTexts[language])}
    </div>`
  })}`
}

/** The name of a row, as a link to the statistics of the scans that have it. */
function filterLink({ path, query, hasDetails }: PanelsView, name: DimensionName, row: NamedRow): Html | string {
  if (row.value === '(other)' || !mayFilter(name, hasDetails) || isFiltered(query, name, row)) return row.name
  return html`<a href="${addressOf(path, withRow(query, name, row))}">${row.name}</a>`
}

function valueRow(row: NamedRow, name: Html | string, total: number, formats: Formats): Html {
  const share = total === 0 ? 0 : row.scans / total
  return html`<tr>
    <th scope="row">
      <span dir="auto">${name}</span>
      <svg aria-hidden="true"><rect width="${Math.round(share * 1000) / 10}%" height="100%" rx="2" /></svg>
    </th>
    <td>${formats.number(row.scans)}</td>
    <td>${formats.percent(share)}</td>
  </tr>`
}
