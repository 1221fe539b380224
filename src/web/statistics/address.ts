import type { PageQuery } from './view.ts'

/** The parameters of a page that say what its statistics show: its script keeps them. */
export const parameterNames = ['days', 'from', 'to', 'audience', 'tz', 'interval', 'compare', 'view'] as const

/** What the address of a page says of its statistics, what nobody chose left out. */
export function parametersOf({ window, audience, tz, interval, compare, isDetailed }: PageQuery): [string, string][] {
  const given: [string, string | undefined][] = [
    ['days', 'days' in window ? String(window.days) : undefined],
    ['from', 'from' in window ? window.from : undefined],
    ['to', 'from' in window ? window.to : undefined],
    ['audience', audience],
    ['tz', tz],
    ['interval', interval],
    ['compare', compare === 'year' ? compare : undefined],
    ['view', isDetailed ? 'detail' : undefined],
  ]
  return given.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
}

/** The address of a page with these statistics, which can be bookmarked. */
export function addressOf(path: string, query: PageQuery): string {
  return `${path}?${new URLSearchParams(parametersOf(query)).toString()}#statistics`
}
