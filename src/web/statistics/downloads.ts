import { html, type Html } from '../../http/html.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import { addressOf } from './address.ts'
import type { StatisticsView } from './view.ts'

/** Links to files of what a part of the page shows, for who looks closely. */
export function downloads(
  { path, query }: Pick<StatisticsView, 'path' | 'query'>,
  names: string[],
  heading: string,
  { out }: StatisticsTexts,
): Html | undefined {
  if (!query.isDetailed) return undefined
  return html`<p class="stats-out small">
    ${names.map((name) => {
      const kind = name.endsWith('.svg') ? 'svg' : 'csv'
      return html`<a href="${fileAddress({ path, query }, name)}" download
        >${out[kind]}<span class="unseen">: ${heading}</span></a
      > `
    })}
  </p>`
}

function fileAddress({ path, query }: Pick<StatisticsView, 'path' | 'query'>, name: string): string {
  const [address = ''] = addressOf(path, { ...query, list: undefined })
    .slice(path.length)
    .split('#')
  return `${path}/statistics/${name}${address}`
}
