import { html, type Html } from '../../http/html.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import type { Formats } from './formats.ts'
import type { PageQuery } from './view.ts'

type Figure = keyof StatisticsTexts['figures']

const order: Figure[] = ['humans', 'unique', 'qr', 'bots']

/** Four figures of the window, each with its change against an earlier window. */
export function figures(
  { by_audience: apart, totals, previous, compared }: Stats,
  { isDetailed, isOfMany }: Pick<PageQuery, 'isDetailed'> & { isOfMany: boolean },
  texts: StatisticsTexts,
  formats: Formats,
): Html {
  const now = valuesOf(apart, totals)
  const earlier = previous ?? compared
  const before = earlier?.by_audience && valuesOf(earlier.by_audience, earlier.totals)
  const kind = previous === undefined ? 'year' : 'previous'
  const was = (name: Figure) => before && html`<small>${texts.was[kind]} ${formats.number(before[name])}</small>`
  const hints = isOfMany ? { ...texts.hints, ...texts.hintsOfMany } : texts.hints
  return html`<dl class="stats-figures">
    ${order.map(
      (name) =>
        html`<div>
          <dt>${texts.figures[name]}</dt>
          <dd>
            <b>${formats.number(now[name])}</b>
            ${before && change(now[name], before[name], kind === 'year' ? texts.beforeYear : texts.before, texts, formats)}
            ${isDetailed && was(name)}
            <small>${hints[name]}</small>
          </dd>
        </div>`,
    )}
  </dl>`
}

function valuesOf(apart: Stats['by_audience'], totals: Stats['totals']): Record<Figure, number> {
  return {
    humans: apart.humans.scans,
    unique: totals.unique_visitors,
    qr: totals.qr,
    bots: apart.bots.scans,
  }
}

function change(
  now: number,
  before: number,
  than: string,
  { none }: StatisticsTexts,
  formats: Formats,
): Html | undefined {
  if (before === 0) return now === 0 ? undefined : html`<span class="stats-change">${none}</span>`
  const difference = now / before - 1
  const direction = difference > 0 ? 'up' : difference < 0 ? 'down' : ''
  return html`<span class="stats-change ${direction}"
    >${formats.change(difference)}<span class="unseen"> ${than}</span></span
  >`
}
