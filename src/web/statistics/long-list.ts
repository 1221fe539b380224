import { html, type Html } from '../../http/html.ts'
import type { ValueCount } from '../../scans/statistics/breakdowns.ts'
import { statisticsTexts } from '../../texts/statistics.ts'
import { streamSafe } from '../../lib/stream-safe.ts'
import { addressOf, hiddenFields } from './address.ts'
import { formatsIn } from './formats.ts'
import type { ListName, StatisticsView } from './view.ts'

/** What the panels of breakdowns need of the section. */
export type PanelsView = Pick<StatisticsView, 'path' | 'query' | 'language' | 'placement' | 'hasDetails' | 'pageOf'>

/** A row with how its value reads. */
export interface NamedRow extends ValueCount {
  name: Html | string
}

/** Rows of a page. */
const ROWS = 50

/** A breakdown, of which a page shows part. */
export interface Breakdown {
  name: ListName
  heading: string
  rows: NamedRow[]
  /** How many are shown until somebody asks for more. */
  top: number
}

/** What a panel shows of a breakdown that has more than the most frequent values. */
interface LongList {
  rows: NamedRow[]
  above?: Html | undefined
  below: Html
}

/** The most frequent of many values with a link to all; or a page of those that fit a search. */
export function longList(view: PanelsView, { name, heading, rows, top }: Breakdown): LongList {
  const { path, query, language } = view
  const { list: texts } = statisticsTexts[language]
  const at = (list: NonNullable<PanelsView['query']['list']>) => addressOf(path, { ...query, list }, `list-${name}`)
  if (query.list?.name !== name) {
    const below = html`<p>
      <a href="${at({ name, search: '', page: 1 })}">${texts.all}<span class="unseen">: ${heading}</span></a>
    </p>`
    return { rows: rows.slice(0, top), below }
  }
  const { search } = query.list
  const found = rows.filter((row) => fits(row, search))
  const pages = Math.max(1, Math.ceil(found.length / ROWS))
  const page = Math.min(query.list.page, pages)
  const format = formatsIn(language).number
  const turn = (to: number, text: string) =>
    to >= 1 && to <= pages && html`<a href="${at({ name, search, page: to })}">${text}</a>`
  return {
    rows: found.slice((page - 1) * ROWS, page * ROWS),
    above: searchForm(view, name, search, heading),
    below: html`<nav class="row" aria-label="${heading}">
      <span class="quiet">${found.length === 0 ? texts.none : texts.page(format(page), format(pages))}</span>
      ${turn(page - 1, texts.before)} ${turn(page + 1, texts.after)}
      <a href="${addressOf(path, { ...query, list: undefined }, `list-${name}`)}">${texts.top}</a>
    </nav>`,
  }
}

function searchForm({ path, query, language }: PanelsView, name: ListName, search: string, heading: string): Html {
  const { list: texts } = statisticsTexts[language]
  return html`<form action="${path}#list-${name}" class="row stats-search" role="search">
    ${hiddenFields({ ...query, list: { name, search: '', page: 1 } }, ['search', 'page'])}
    <input type="search" name="search" value="${search}" maxlength="100" aria-label="${texts.search}: ${heading}" />
    <button class="plain">${texts.search}</button>
  </form>`
}

/** Whether the name of a row, as it is read, has a text; each has an empty one. */
function fits({ name, value }: NamedRow, search: string): boolean {
  if (search === '') return true
  const wanted = normal(html`${search}`.markup)
  const read = html`${name} ${value}`.markup.replaceAll(/<[^<>]*>/g, '')
  return normal(read).includes(wanted)
}

/** Without case, accents and blanks at the ends: who types “zurich” finds Zürich. */
function normal(text: string): string {
  return streamSafe(text).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}
