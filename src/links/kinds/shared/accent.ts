import { contrastRatio, black, hexOf, inkOn, rgbOf, white, type Rgb } from '../../../lib/color.ts'

/** The colours that readable text may stand on: the cards of visitors' pages in both themes. */
export const cards = { light: [255, 255, 255], dark: [22, 30, 25] } as const satisfies Record<string, Rgb>

/** Contrast of text (WCAG 2.2 AA asks for 4.5), and of an area that must be seen as one. */
const [READABLE, VISIBLE] = [4.6, 1.4]

/** What an owner's colour becomes on the cards of one theme. */
export interface Shades {
  /** For links and outlines. */
  text: Rgb
  /** The same under the pointer. */
  strong: Rgb
  /** A faint area, on which text is readable too. */
  wash: Rgb
  /** Around filled buttons that would not stand out. */
  edge: Rgb | undefined
}

export interface Accent {
  /** The owner's colour: the area of a button, the same in both themes. */
  fill: Rgb
  /** The same under the pointer. */
  pressed: Rgb
  onFill: Rgb
  light: Shades
  dark: Shades
}

/** Derives readable colours from any colour. @param color `#rrggbb` */
export function accentOf(color: string): Accent {
  const fill = rgbOf(color)
  const onFill = inkOn(fill)
  return {
    fill,
    pressed: mix(fill, onFill === white ? black : white, 0.14),
    onFill,
    light: shadesOn(cards.light, fill, black),
    dark: shadesOn(cards.dark, fill, white),
  }
}

function shadesOn(card: Rgb, color: Rgb, towards: Rgb): Shades {
  const wash = mix(card, color, 0.1)
  const isReadable = (text: Rgb) => Math.min(contrastRatio(text, card), contrastRatio(text, wash)) >= READABLE
  let text = color
  for (let share = 0.05; !isReadable(text) && share <= 1; share += 0.05) text = mix(color, towards, share)
  const edge = contrastRatio(color, card) < VISIBLE ? text : undefined
  return { text, strong: mix(text, towards, 0.3), wash, edge }
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((value, at) => Math.round(value + ((to[at] ?? 0) - value) * share)) as unknown as Rgb
}

/** The stylesheet that gives a page the colour of its owner. @param color `#rrggbb` */
export function accentStyles(color: string): string {
  const { fill, pressed, onFill, light, dark } = accentOf(color)
  const both = (of: (shades: Shades) => Rgb | undefined) => `light-dark(${css(of(light))},${css(of(dark))})`
  const values = {
    accent: both(({ text }) => text),
    'accent-strong': both(({ strong }) => strong),
    'accent-wash': both(({ wash }) => wash),
    fill: css(fill),
    'fill-pressed': css(pressed),
    'on-fill': css(onFill),
    'fill-edge': both(({ edge }) => edge),
  }
  return `:root{${Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')}}`
}

function css(color: Rgb | undefined): string {
  return color === undefined ? '#0000' : hexOf(color)
}

/** The path of that stylesheet, whose content never changes. */
export function accentPath(color: string): string {
  return `/assets/accent-${color.slice(1).toLowerCase()}.css`
}
