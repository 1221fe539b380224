import { html, type Html } from '../../http/html.ts'
import type { ValueCount } from '../../scans/statistics/breakdowns.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import type { Formats } from './formats.ts'
import { ownValue } from '../../lib/own-value.ts'
import { clip, pathOf, ringsOf, type View } from './outline.ts'
import { shadesLegend, shadesUpTo, type Shades } from './shades.ts'
import { places, shapes, WORLD } from './world.ts'

/** The radius of a country that is too small for an outline, as a part of the width of the map. */
const DOT = 1 / 200
/** The narrowest part of the world that is shown, as a part of its width: its outlines are no finer. */
const NARROWEST = 1 / 5
const MARGIN = 1 / 12

/** A map without what stands around it. */
export interface WorldMap {
  view: View
  /** Groups and paths of the classes of shades. */
  drawing: Html
  shades: Shades
  /** The country with the most visits. */
  most: { country: string; scans: number }
}

/**
 * Draws the visits by country, on the part of the world that has some.
 * @returns undefined when no country that is on the map has any
 */
export function drawMap(counts: ValueCount[], formats: Formats): WorldMap | undefined {
  const known = counts.flatMap(({ value, scans }) =>
    value !== null && scans > 0 && boxOf(value) !== undefined ? [{ country: value, scans }] : [],
  )
  const [most] = known
  if (most === undefined) return undefined
  const shades = shadesUpTo(Math.max(...known.map(({ scans }) => scans)), formats)
  const view = viewOf(known.map(({ country }) => country))
  const isKnown = new Set(known.map(({ country }) => country))
  const rest = [...outlines.keys()].filter((country) => !isKnown.has(country)).map((country) => pathIn(view, country))
  const radius = Math.round((view.right - view.left) * DOT)
  const drawing = html`<path class="shade-0" d="${rest.join('')}" /> ${known.map(
      ({ country, scans }) =>
        html`<g class="shade-${shades.of(scans)}">
          <title>${formats.country(country)}: ${formats.number(scans)}</title>
          ${shapeOf(view, country, radius)}
        </g>`,
    )}`
  return { view, drawing, shades, most }
}

/** What the `viewBox` of a view is. */
export function viewBoxOf({ left, top, right, bottom }: View): string {
  return [left, top, right - left, bottom - top].join(' ')
}

/** The map as a part of the page. The table of countries has the same numbers. */
export function worldMap(
  counts: ValueCount[],
  { map: texts }: StatisticsTexts,
  formats: Formats,
  downloads?: Html,
): Html | undefined {
  const map = drawMap(counts, formats)
  if (map === undefined) return undefined
  const { view, drawing, shades, most } = map
  const label = `${texts.heading}. ${texts.most(formats.country(most.country), formats.number(most.scans))}`
  return html`<div class="card stats-map" id="map">
    <h3>${texts.heading}</h3>
    <svg viewBox="${viewBoxOf(view)}" role="img" aria-label="${label}">${drawing}</svg>
    ${shadesLegend(shades)} ${downloads}
  </div>`
}

type Box = readonly [left: number, top: number, right: number, bottom: number]

const outlines = new Map(
  Object.entries(shapes).map(([country, shape]) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = shape.split(' ', 4).map(Number)
    const box: Box = [left, top, right, bottom]
    return [country, { box, rings: ringsOf(shape.slice(shape.indexOf('M'))) }]
  }),
)

function boxOf(country: string): Box | undefined {
  const place = ownValue(places, country)
  return outlines.get(country)?.box ?? (place && [place[0], place[1], place[0], place[1]])
}

/** The part of the world that has these countries, as wide as the world is for its height. */
function viewOf(countries: string[]): View {
  const all = countries.map(boxOf).filter((each) => each !== undefined)
  const box = {
    left: Math.min(...all.map(([left]) => left)),
    top: Math.min(...all.map(([, top]) => top)),
    right: Math.max(...all.map(([, , right]) => right)),
    bottom: Math.max(...all.map(([, , , bottom]) => bottom)),
  }
  const ratio = WORLD.width / WORLD.height
  const needed = Math.max(box.right - box.left, (box.bottom - box.top) * ratio) * (1 + 2 * MARGIN)
  const width = Math.round(Math.min(WORLD.width, Math.max(needed, WORLD.width * NARROWEST)))
  const height = Math.round(width / ratio)
  const begin = (from: number, to: number, size: number, all: number) =>
    Math.round(Math.max(0, Math.min(all - size, (from + to - size) / 2)))
  const [left, top] = [begin(box.left, box.right, width, WORLD.width), begin(box.top, box.bottom, height, WORLD.height)]
  return { left, top, right: left + width, bottom: top + height }
}

/** The outline of a country within a view. */
function pathIn(view: View, country: string): string {
  return (
    outlines
      .get(country)
      ?.rings.map((ring) => pathOf(clip(ring, view)))
      .join('') ?? ''
  )
}

function shapeOf(view: View, country: string, radius: number): Html {
  if (outlines.has(country)) return html`<path d="${pathIn(view, country)}" />`
  const [x, y] = places[country] ?? [0, 0]
  return html`<circle cx="${x}" cy="${y}" r="${radius}" />`
}
