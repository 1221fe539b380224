import { html, type Html } from '../../http/html.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import { roundTicks } from './chart.ts'
import type { Charted } from './columns.ts'
import type { Formats } from './formats.ts'
import { MONDAY } from './heat.ts'
import { drawMap, viewBoxOf } from './map.ts'
import { shadesUpTo, type Shades } from './shades.ts'

/** A picture that stands by itself, in the colours of the light theme, as programs other than browsers know them. */
export interface Picture {
  heading: string
  /** The window, filters and link below the heading. */
  about: string
}

const WIDTH = 960
const MARGIN = 24
const INNER = WIDTH - 2 * MARGIN
/** Where the drawing begins, below heading and window. */
const TOP = 84
const LINE = 20
const shadeColours = ['#f4f1ea', '#dde8df', '#bad1c1', '#92b59f', '#3a8059', '#004d2a']
const colours = { ink: '#13211b', quiet: '#56635b', line: '#dad7cd', visitors: '#006a3d', scans: '#a3c3b0' }

function document({ heading, about }: Picture, height: number, drawing: Html): string {
  const shades = shadeColours.map((colour, shade) => `.shade-${shade}{fill:${colour}}`).join('')
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${WIDTH}"
    height="${height}"
    viewBox="0 0 ${WIDTH} ${height}"
    font-family="sans-serif"
    font-size="13"
    fill="${colours.ink}"
  >
    <style>
      ${shades}
    </style>
    <rect width="${WIDTH}" height="${height}" fill="#ffffff" />
    <text x="${MARGIN}" y="38" font-size="22" font-weight="bold">${heading}</text>
    <text x="${MARGIN}" y="62" fill="${colours.quiet}">${about}</text>
    ${drawing}
  </svg>`.markup
}

function legend(items: { fill?: string; shade?: number; text: string }[], y: number): Html {
  const step = 130
  return html`${items.map(
    ({ fill, shade, text }, at) =>
      html`<rect
          x="${MARGIN + at * step}"
          y="${y - 11}"
          width="12"
          height="12"
          ${fill === undefined ? html`class="shade-${shade}"` : html`fill="${fill}"`}
          stroke="${colours.line}"
        />
        <text x="${MARGIN + at * step + 18}" y="${y}">${text}</text>`,
  )}`
}

const shadesAt = ({ ranges }: Shades, y: number) => legend(ranges, y)

const round = (value: number) => Math.round(value * 100) / 100

/** The chart of the visits. */
export function chartPicture(
  { columns }: Charted,
  about: Picture,
  { legend: names }: StatisticsTexts,
  formats: Formats,
): string {
  const [left, height] = [MARGIN + 48, 280]
  const ticks = roundTicks(columns.reduce((most, { scans }) => Math.max(most, scans), 0))
  const base = TOP + height
  const y = (value: number) => round(base - (height * value) / (ticks.at(-1) ?? 1))
  const step = (WIDTH - MARGIN - left) / columns.length
  const bar = (at: number, value: number, fill: string) =>
    value > 0 &&
    html`<rect
      x="${round(left + (at + 0.1) * step)}"
      y="${y(value)}"
      width="${round(step * 0.8)}"
      height="${round(base - y(value))}"
      fill="${fill}"
    />`
  const axis = ticks.map(
    (tick) =>
      html`<line x1="${left}" x2="${WIDTH - MARGIN}" y1="${y(tick)}" y2="${y(tick)}" stroke="${colours.line}" />
        <text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end" fill="${colours.quiet}"
          >${formats.compact(tick)}</text
        >`,
  )
  const drawn = columns.map(
    ({ scans, visitors, tick }, at) =>
      html`${bar(at, scans, colours.scans)} ${bar(at, visitors, colours.visitors)}
      ${tick !== undefined && html`<text x="${round(left + (at + 0.5) * step)}" y="${base + 18}" text-anchor="middle" fill="${colours.quiet}">${tick}</text>`}`,
  )
  const key = [
    { fill: colours.scans, text: names.scans },
    { fill: colours.visitors, text: names.visitors },
  ]
  return document(about, base + 3 * LINE + 8, html`${axis} ${drawn} ${legend(key, base + 2 * LINE + 8)}`)
}

/** The hours of the week: a row for each day, as slides have it. */
export function heatPicture(heat: number[][], about: Picture, formats: Formats): string {
  const shades = shadesUpTo(Math.max(...heat.flat()), formats)
  const [left, height] = [MARGIN + 48, 28]
  const step = (WIDTH - MARGIN - left) / 24
  const hours = Array.from(
    { length: 24 },
    (_, hour) =>
      html`<text x="${round(left + (hour + 0.5) * step)}" y="${TOP + 8}" text-anchor="middle" fill="${colours.quiet}"
        >${hour}</text
      >`,
  )
  const rows = heat.map((scans, day) => {
    const y = TOP + LINE + day * height
    return html`<text x="${MARGIN}" y="${y + 18}">${formats.weekday(MONDAY.add({ days: day }).toString())}</text>
      ${scans.map(
        (count, hour) =>
          html`<rect
              x="${round(left + hour * step)}"
              y="${y}"
              width="${round(step - 2)}"
              height="${height - 2}"
              class="shade-${shades.of(count)}"
            />
            <text
              x="${round(left + (hour + 0.5) * step - 1)}"
              y="${y + 17}"
              font-size="11"
              text-anchor="middle"
              ${shades.of(count) > 3 && html`fill="#ffffff"`}
              >${formats.number(count)}</text
            >`,
      )}`
  })
  const end = TOP + LINE + 7 * height + LINE
  return document(about, end + LINE, html`${hours} ${rows} ${shadesAt(shades, end)}`)
}

/** The map of the visits by country; undefined when no country that is on it has any. */
export function mapPicture({ breakdowns }: Stats, about: Picture, formats: Formats): string | undefined {
  const map = drawMap(breakdowns.country, formats)
  if (map === undefined) return undefined
  const { left, top, right, bottom } = map.view
  const height = round((INNER * (bottom - top)) / (right - left))
  const drawing = html`<svg
      x="${MARGIN}"
      y="${TOP}"
      width="${INNER}"
      height="${height}"
      viewBox="${viewBoxOf(map.view)}"
      stroke="${colours.quiet}"
      stroke-width="${round((right - left) / 2000)}"
    >
      ${map.drawing}
    </svg>
    ${shadesAt(map.shades, TOP + height + LINE + 4)}`
  return document(about, TOP + height + 2 * LINE + 4, drawing)
}
