import { html, type Html } from '../../http/html.ts'
import type { Formats } from './formats.ts'

/** Beside the one for nothing. */
const SHADES = 5

/** Shades for numbers, which differ in lightness only: who sees no colours can tell them apart. */
export interface Shades {
  /** 0 for nothing, up to 5. */
  of: (value: number) => number
  /** The numbers that each shade stands for. */
  ranges: { shade: number; text: string }[]
}

/** Squares part the range: of few busy hours and many quiet ones, the quiet ones differ, too. */
export function shadesUpTo(largest: number, formats: Formats): Shades {
  const ends = Array.from({ length: SHADES }, (_, at) => Math.floor(largest * ((at + 1) / SHADES) ** 2))
  const ranges = ends.flatMap((end, at) => {
    const from = (ends[at - 1] ?? 0) + 1
    if (end < from) return []
    const text = from === end ? formats.number(end) : `${formats.number(from)}–${formats.number(end)}`
    return [{ shade: at + 1, text }]
  })
  return {
    of: (value) => (value <= 0 ? 0 : ends.findIndex((end) => value <= end) + 1),
    ranges: [{ shade: 0, text: formats.number(0) }, ...ranges],
  }
}

/** The legend of shades. */
export function shadesLegend({ ranges }: Shades): Html {
  return html`<p class="stats-shades quiet small">
    ${ranges.map(({ shade, text }) => html`<span class="key shade-${shade}">${text}</span> `)}
  </p>`
}
