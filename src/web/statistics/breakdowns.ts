import type { Names, Words } from '../../dimensions/dimension.ts'
import { dimensions } from '../../dimensions/dimensions.ts'
import { html, type Html } from '../../http/html.ts'
import type { ValueCount } from '../../scans/statistics/breakdowns.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import type { BreakdownTexts } from '../../texts/breakdowns.ts'
import type { Language } from '../../texts/language.ts'
import { formatsIn, type Formats } from './formats.ts'

const inOrder = dimensions.toSorted((a, b) => a.panel - b.panel)

/** The most frequent values of each dimension, with bars for their parts of all scans. */
export function breakdownPanels(
  { breakdowns, totals }: Stats,
  { texts, language, ...known }: { texts: BreakdownTexts; language: Language; placement?: Names['placement'] },
): Html {
  const formats = { ...formatsIn(language), ...known }
  // Where no scan has a value, all are the rest.
  const isShown = ({ name, rest }: (typeof dimensions)[number]) =>
    rest === undefined || breakdowns[name].some(({ value }) => (value ?? '') !== rest)
  return html`${inOrder.filter(isShown).map(({ name, words, top }) => {
    const nameOf = nameIn(words[language], texts, formats)
    const rows = breakdowns[name].slice(0, top).map((row) => valueRow(row, nameOf(row), totals.scans, formats))
    return html`<div class="card">
      <table>
        <thead>
          <tr>
            <th scope="col"><h3>${words[language].heading}</h3></th>
            <th scope="col">${texts.scans}</th>
            <th scope="col">${texts.share}</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`
  })}`
}

function valueRow(row: ValueCount, name: Html | string, total: number, formats: Formats): Html {
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

/** How the values of a dimension read. */
function nameIn({ value: nameOf, rest }: Words, texts: BreakdownTexts, names: Names) {
  return ({ value, country }: ValueCount): Html | string => {
    if (value === null) return rest ?? texts.unknown
    if (value === '(other)') return texts.others
    return nameOf?.({ value, ...(country !== undefined && { country }) }, names) ?? value
  }
}
