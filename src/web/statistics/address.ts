import { dimensionNames } from '../../dimensions/dimensions.ts'
import { html, type Html } from '../../http/html.ts'
import type { PageQuery } from './view.ts'

/** What the address of a page says of its statistics, what nobody chose left out. */
export function parametersOf({ window, audience, tz, interval, compare, ...query }: PageQuery): [string, string][] {
  const given: [string, string | undefined][] = [
    ['days', 'days' in window ? String(window.days) : undefined],
    ['from', 'from' in window ? window.from : undefined],
    ['to', 'from' in window ? window.to : undefined],
    ['audience', audience],
    ['tz', tz],
    ['interval', interval],
    ['compare', compare === 'year' ? compare : undefined],
    ['view', query.isDetailed ? 'detail' : undefined],
    ...dimensionNames.flatMap((name) => (query.filters[name] ?? []).map((value): [string, string] => [name, value])),
    ['campaign', query.campaign],
    ['list', query.list?.name],
    ['search', query.list?.search || undefined],
    ['page', query.list === undefined || query.list.page === 1 ? undefined : String(query.list.page)],
  ]
  return given.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
}

/** The address of a page with these statistics, which can be bookmarked. */
export function addressOf(path: string, query: PageQuery, fragment = 'statistics'): string {
  return `${path}?${new URLSearchParams(parametersOf(query)).toString()}#${fragment}`
}

/** The parameters of a page that a form does not choose itself. */
export function hiddenFields(query: PageQuery, chosen: string[]): Html[] {
  return parametersOf(query).flatMap(([name, value]) =>
    chosen.includes(name) ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`],
  )
}
