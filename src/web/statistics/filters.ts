import { dimensionNames, dimensions, type DimensionName } from '../../dimensions/dimensions.ts'
import { UNKNOWN_VALUE } from '../../dimensions/dimension.ts'
import { html, type Html } from '../../http/html.ts'
import { createValidator } from '../../http/validate.ts'
import { Type } from '#typebox'
import { statsFilters } from '../../scans/api/schemas.ts'
import type { ValueCount } from '../../scans/statistics/breakdowns.ts'
import type { Filters } from '../../scans/statistics/stats-query.ts'
import { breakdownTexts } from '../../texts/breakdowns.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import { addressOf } from './address.ts'
import { formatsIn } from './formats.ts'
import { nameIn } from './value-name.ts'
import type { PageQuery, StatisticsView } from './view.ts'

const faultsOf = createValidator(Type.Object(statsFilters))

/** The filters in the query of a page: those that the reader may use, and that are valid. */
export function filtersIn(query: Record<string, unknown>, hasDetails: boolean): Filters {
  const given = dimensionNames.flatMap((name): [DimensionName, string[]][] => {
    const values = [query[name] ?? []].flat().filter((value) => typeof value === 'string' && value !== '') as string[]
    const isValid = values.length > 0 && faultsOf({ [name]: values }).length === 0
    return isValid && mayFilter(name, hasDetails) ? [[name, [...new Set(values)]]] : []
  })
  return Object.fromEntries(given)
}

/** By placements, which the owner has chosen, everybody may filter; the others come close to single scans. */
export function mayFilter(name: DimensionName, hasDetails: boolean): boolean {
  return hasDetails || name === 'placement'
}

/** What filters by a row of a breakdown: a city is one of its country. */
function filtersOf(name: DimensionName, { value, country }: ValueCount): [DimensionName, string][] {
  const own: [DimensionName, string] = [name, value ?? UNKNOWN_VALUE]
  return typeof country === 'string' ? [own, ['country', country]] : [own]
}

export function isFiltered({ filters }: PageQuery, name: DimensionName, row: ValueCount): boolean {
  return filtersOf(name, row).every(([each, value]) => filters[each]?.includes(value))
}

/** The same statistics of the scans that have this value, too. */
export function withRow(query: PageQuery, name: DimensionName, row: ValueCount): PageQuery {
  const filters = { ...query.filters }
  for (const [each, value] of filtersOf(name, row)) filters[each] = [...new Set([...(filters[each] ?? []), value])]
  return { ...query, filters, list: undefined }
}

/** The same statistics of the links of a campaign; null is none. */
export function withCampaign(query: PageQuery, campaign: string | null): PageQuery {
  return { ...query, campaign: campaign ?? UNKNOWN_VALUE, list: undefined }
}

export function hasFilters({ filters }: PageQuery): boolean {
  return Object.keys(filters).length > 0
}

function without(query: PageQuery, name: DimensionName, value: string): PageQuery {
  const { [name]: values = [], ...others } = query.filters
  const rest = values.filter((each) => each !== value)
  return { ...query, filters: rest.length === 0 ? others : { ...others, [name]: rest } }
}

/** The filters as text: the campaign, and each dimension with the values that fit; and what is shown without one. */
export function filterNames(
  { query, language, placement }: Pick<StatisticsView, 'query' | 'language' | 'placement'>,
  texts: { filters: StatisticsTexts['filters'] },
): { value: string; heading: string; text: Html | string; rest: PageQuery }[] {
  const names = { ...formatsIn(language), placement }
  const { campaign } = query
  const ofDimensions = dimensions.flatMap(({ name, words }) => {
    const nameOf = nameIn(words[language], breakdownTexts[language], names)
    return (query.filters[name] ?? []).map((value) => ({
      value,
      heading: texts.filters.names[name],
      text: nameOf({ value: value === UNKNOWN_VALUE ? null : value }),
      rest: without(query, name, value),
    }))
  })
  if (campaign === undefined) return ofDimensions
  const text = campaign === UNKNOWN_VALUE ? breakdownTexts[language].noCampaign : campaign
  const rest = { ...query, campaign: undefined }
  return [{ value: campaign, heading: texts.filters.names.campaign, text, rest }, ...ofDimensions]
}

/** A chip for each filter, which removes it. */
export function filterChips(view: StatisticsView, texts: StatisticsTexts): Html | undefined {
  const { path, query } = view
  const chips = filterNames(view, texts)
  if (chips.length === 0) return undefined
  const { filters } = texts
  return html`<div class="row stats-filters">
    <span class="quiet">${filters.label}</span>
    <ul class="row">
      ${chips.map(
        ({ heading, text, rest }) =>
          html`<li>
            <a class="chip" href="${addressOf(path, rest)}"
              ><span>${heading}: <b dir="auto">${text}</b></span> <span aria-hidden="true">×</span
              ><span class="unseen">: ${filters.remove}</span></a
            >
          </li>`,
      )}
    </ul>
    ${chips.length > 1 && html`<a href="${addressOf(path, { ...query, filters: {}, campaign: undefined })}">${filters.removeAll}</a>`}
  </div>`
}
