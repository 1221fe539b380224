import { html, type Html } from '../../http/html.ts'
import type { Interval } from '../../scans/statistics/stats-query.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import type { Charted, Column } from './columns.ts'
import type { Formats } from './formats.ts'
import type { Mark } from './marks.ts'

/** The height of the drawing, in pixels: half a line for the numbers of the axis, the columns, the mark of today. */
const TOP = 10
const BASE = 190
const HEIGHT = 200
/** Beyond this, columns are too narrow for gaps: a year is drawn as an area. */
const MAX_BARS = 100

/** A chart of the scans, and a table of the same values. */
export function chart({ columns, unit }: Charted, marks: Mark[], texts: StatisticsTexts, formats: Formats): Html {
  const largest = columns.reduce((most, { scans }) => Math.max(most, scans), 0)
  const ticks = roundTicks(largest)
  const top = ticks.at(-1) ?? 1
  const y = (value: number) => round(BASE - ((BASE - TOP) * value) / top)
  const peak = columns.find(({ scans }) => scans === largest)?.name ?? ''
  const label = `${texts.chart[unit]}. ${texts.most(formats.number(largest), texts.at[unit](peak))}`
  return html`<figure class="stats-chart">
    <figcaption class="row">
      <h3>${texts.chart[unit]}</h3>
      <p class="stats-readout quiet">${legend(columns, unit, texts)}</p>
    </figcaption>
    <div class="stats-plot">
      <div class="axis" aria-hidden="true">
        ${ticks.map((tick) => html`<i data-text="${formats.compact(tick)}"></i>`)}
      </div>
      <svg class="plot" height="${HEIGHT}" role="img" aria-label="${label}" data-name="${texts.chart[unit]}">
        ${columns.length <= MAX_BARS && weekends(columns)}
        ${ticks.map((tick) => html`<line class="${tick === 0 ? 'base' : 'grid'}" x2="100%" y1="${y(tick)}" y2="${y(tick)}" />`)}
        <rect
          class="cursor"
          y="${TOP}"
          height="${BASE - TOP}"
          width="${percent(1, columns.length)}"
          visibility="hidden"
        />
        ${columns.length <= MAX_BARS ? bars(columns, y, texts, formats) : areas(columns, y)} ${mark(columns)}
        ${marks.map((each) => markOf(each, columns.length))}
      </svg>
      ${below(columns)}
    </div>
  </figure>`
}

function legend(columns: Column[], unit: Interval, texts: StatisticsTexts): Html {
  const { scans, visitors, weekend, now } = texts.legend
  const hasWeekend = columns.length <= MAX_BARS && columns.some(({ isWeekend }) => isWeekend)
  return html`<span class="key scans">${scans}</span>
    <span class="key visitors">${visitors}</span> ${hasWeekend && html`<span class="key weekend">${weekend}</span>`}
    ${columns.some(({ isNow }) => isNow) && html`<span class="key now">${now[unit]}</span>`}`
}

function weekends(columns: Column[]): Html {
  const width = percent(1, columns.length)
  return html`${columns.map(
    ({ isWeekend }, at) =>
      isWeekend &&
      html`<rect
        class="weekend"
        x="${percent(at, columns.length)}"
        y="${TOP}"
        width="${width}"
        height="${BASE - TOP}"
      />`,
  )}`
}

/** Two bars for each column: the scans, and in front of them the visitors, who are never more. */
function bars(columns: Column[], y: (value: number) => number, texts: StatisticsTexts, formats: Formats): Html {
  const count = columns.length
  const bar = (kind: string, at: number, value: number) => {
    if (value === 0) return undefined
    const top = Math.min(y(value), BASE - 2)
    return html`<rect
      class="${kind}"
      x="${percent(at + 0.14, count)}"
      y="${top}"
      width="${percent(0.72, count)}"
      height="${round(BASE - top)}"
      rx="2"
    />`
  }
  return html`${columns.map(({ name, scans, visitors }, at) => {
    if (scans === 0 && visitors === 0) return undefined
    return html`<g>
      <title>${readout(name, scans, visitors, texts, formats)}</title>
      ${bar('scans', at, scans)} ${bar('visitors', at, visitors)}
    </g>`
  })}`
}

/** The value of a column in words. */
function readout(name: string, scans: number, visitors: number, texts: StatisticsTexts, formats: Formats): string {
  const { legend: names } = texts
  return `${name}: ${names.scans} ${formats.number(scans)}, ${names.visitors} ${formats.number(visitors)}`
}

/** One step for each column, in a drawing of its own that is stretched to the width. */
function areas(columns: Column[], y: (value: number) => number): Html {
  const area = (values: number[]) => `M0 ${BASE}${values.map((value) => `V${y(value)}h1`).join('')}V${BASE}z`
  return html`<svg width="100%" height="${HEIGHT}" viewBox="0 0 ${columns.length} ${HEIGHT}" preserveAspectRatio="none">
    <path class="scans" d="${area(columns.map(({ scans }) => scans))}" />
    <path class="visitors" d="${area(columns.map(({ visitors }) => visitors))}" />
  </svg>`
}

/** A line at a column, with a disc on top for what the owner has changed, and a rhombus for a milestone. */
function markOf({ kind, at, when, text }: Mark, count: number): Html {
  return html`<svg x="${percent(at + 0.5, count)}" class="mark ${kind}">
    <title>${when}: ${text}</title>
    <path d="M0 ${TOP - 5}V${BASE}" />
    <path class="head" d="${kind === 'goal' ? 'M0-1l6 6-6 6-6-6z' : 'M-4 5a4 4 0 1 0 8 0a4 4 0 1 0-8 0z'}" />
  </svg>`
}

/** A mark below the column that is not over. */
function mark(columns: Column[]): Html | undefined {
  const at = columns.findIndex(({ isNow }) => isNow)
  if (at < 0) return undefined
  const [x, width] = [percent(at, columns.length), percent(1, columns.length)]
  return html`<rect class="now" x="${x}" y="${BASE + 3}" width="${width}" height="3" rx="1" />`
}

/** The texts below the columns: HTML, so that their size does not depend on that of the drawing. */
function below(columns: Column[]): Html {
  const texts = columns.map(({ tick, isMinor }) =>
    tick === undefined ? html`<i></i>` : html`<i ${isMinor && html`class="minor"`}><span>${tick}</span></i>`,
  )
  return html`<div class="ticks" aria-hidden="true">${texts}</div>`
}

/** The same values as a table. */
export function chartTable(columns: Column[], unit: Interval, { table }: StatisticsTexts, formats: Formats): Html {
  return html`<details class="stats-table">
    <summary>${table.summary}</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">${table[unit]}</th>
          <th scope="col">${table.scans}</th>
          <th scope="col">${table.visitors}</th>
        </tr>
      </thead>
      <tbody>
        ${columns.map(
          ({ name, scans, visitors }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>${formats.number(scans)}</td>
              <td>${formats.number(visitors)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`
}

function percent(part: number, whole: number): string {
  return `${round((100 * part) / whole)}%`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** The round numbers of an axis from 0, at least as high as the largest value; at most `most` steps. */
export function roundTicks(largest: number, most = 4): number[] {
  const rough = Math.max(1, largest) / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, ([1, 2, 5].find((each) => each * power >= rough) ?? 10) * power)
  return Array.from({ length: Math.ceil(Math.max(1, largest) / step) + 1 }, (_, at) => at * step)
}
