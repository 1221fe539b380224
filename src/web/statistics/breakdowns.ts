import { dimensions, type DimensionName } from '../../dimensions/dimensions.ts'
import { html, type Html } from '../../http/html.ts'
import { breakdownTexts } from '../../texts/breakdowns.ts'
import { statisticsTexts } from '../../texts/statistics.ts'
import { addressOf } from './address.ts'
import { downloads } from './downloads.ts'
import { isFiltered, mayFilter, withCampaign, withRow } from './filters.ts'
import { formatsIn, type Formats } from './formats.ts'
import { longList, type Breakdown, type NamedRow, type PanelsView } from './long-list.ts'
import { nameIn } from './value-name.ts'
import type { ShownStats } from './view.ts'

const inOrder = dimensions.toSorted((a, b) => a.panel - b.panel)

/** Rows of the lists of links and of campaigns until somebody asks for more. */
const TOP = 10

/** The most frequent values of each dimension, with bars for their parts of all scans; all of the one that is listed. */
export function breakdownPanels({ breakdowns, totals }: ShownStats, view: PanelsView): Html {
  const { language } = view
  const texts = breakdownTexts[language]
  const formats = { ...formatsIn(language), ...(view.placement && { placement: view.placement }) }
  // Where no scan has a value, all are the rest.
  const isShown = ({ name, rest }: (typeof dimensions)[number]) =>
    rest === undefined || breakdowns[name].some(({ value }) => (value ?? '') !== rest)
  return html`${linksPanel(breakdowns, totals.scans, view)} ${campaignsPanel(breakdowns, totals.scans, view)}
  ${inOrder.filter(isShown).map(({ name, words, top }) => {
    const nameOf = nameIn(words[language], texts, formats)
    const rows = breakdowns[name].map((row): NamedRow => ({ ...row, name: nameOf(row) }))
    const { heading } = words[language]
    return panel(view, { name, heading, rows, top }, totals.scans, (row) => filterLink(view, name, row))
  })}`
}

/** Of several links, those with most scans. */
function linksPanel({ link }: ShownStats['breakdowns'], total: number, view: PanelsView): Html | undefined {
  if (link === undefined) return undefined
  const rows = link.map(({ code, title, destinations = [], ...counts }): NamedRow => {
    const name = title?.trim()
    const small = [...(name ? [code] : []), ...destinations]
    const about = small.map((text) => html` <small class="quiet">${text}</small>`)
    return { ...counts, value: code, name: html`${name || code}${about}` }
  })
  const linkOf = ({ value, name }: NamedRow) =>
    view.pageOf === undefined || value === null ? name : html`<a href="${view.pageOf(value)}">${name}</a>`
  return panel(view, { name: 'link', heading: breakdownTexts[view.language].links, rows, top: TOP }, total, linkOf)
}

/** Of several links, the campaigns with most scans, unless there is only one. */
function campaignsPanel({ campaign }: ShownStats['breakdowns'], total: number, view: PanelsView): Html | undefined {
  const { query, path } = view
  if (query.campaign !== undefined || campaign === undefined || campaign.length < 2) return undefined
  const { campaigns, noCampaign } = breakdownTexts[view.language]
  const rows = campaign.map((row): NamedRow => ({ ...row, name: row.value ?? noCampaign }))
  const linkOf = ({ value, name }: NamedRow) =>
    html`<a href="${addressOf(path, withCampaign(query, value))}">${name}</a>`
  return panel(view, { name: 'campaign', heading: campaigns, rows, top: TOP }, total, linkOf)
}

/** A breakdown as a table. @param linkOf the name of a row, as a link to where it leads */
function panel(view: PanelsView, breakdown: Breakdown, total: number, linkOf: (row: NamedRow) => Html | string): Html {
  const { name, heading, rows, top } = breakdown
  const texts = breakdownTexts[view.language]
  const formats = formatsIn(view.language)
  const list = view.query.list?.name === name || rows.length > top ? longList(view, breakdown) : undefined
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
        ${(list?.rows ?? rows).map((row) => valueRow(row, linkOf(row), total, formats))}
      </tbody>
    </table>
    ${list?.below} ${downloads(view, [`${name}.csv`], heading, statisticsTexts[view.language])}
  </div>`
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
