import { invalidRequest, type FieldError } from '../../http/problem.ts'
import { contrast, isPoor, MIN_CONTRAST, parseColor, type Color, type Contrast } from '../color.ts'
import type { Level } from '../encoder/tables.ts'
import type { EyeShape } from './eyes.ts'
import type { Font } from './font.ts'
import { LogoError } from '../logo/error.ts'
import type { Logo, ReadLogo } from '../logo/logo.ts'
import type { Design } from './schema.ts'
import type { ModuleShape } from './shapes.ts'

/** The fill of a shape. */
export type Fill = { color: Color } | { gradient: 'linear' | 'radial'; from: Color; to: Color; angle: number }

export interface Frame {
  text: string
  position: 'top' | 'bottom'
  isRounded: boolean
  color: Color
  textColor: Color
}

/** A design with all defaults filled in. */
export interface Style {
  shape: ModuleShape
  eyeFrame: EyeShape
  eyeBall: EyeShape
  ink: Fill
  eyeFrameInk: Fill
  eyeBallInk: Fill
  background: Color
  /** `size` is undefined when the design has none. */
  logo: { image: Logo; size: number | undefined; knockout: boolean } | undefined
  frame: Frame | undefined
  margin: number
  level: Level
}

/** What is needed to read a design. */
export interface Supplies {
  font: Font
  readLogo: ReadLogo
}

const black: Color = [0, 0, 0, 255]
const white: Color = [255, 255, 255, 255]

/**
 * Completes a design that its schema has accepted.
 * @param at the pointer of the design in the request, for the errors
 * @throws {Problem} 400 for too little contrast, an invalid logo, or a text that cannot be drawn or read
 */
export function readStyle(design: Design, at: string, { font, readLogo }: Supplies): Style {
  const style = { ...plain, ...inksOf(design), ...shapesOf(design), frame: frameOf(design, inkOf(design)) }
  const errors = [...contrastErrors(design, style), ...textErrors(style.frame, font)].map(({ pointer, detail }) => ({
    pointer: at + pointer,
    detail,
  }))
  const image = readImage(design, readLogo, (detail) => void errors.push({ pointer: `${at}/logo/image`, detail }))
  if (errors.length > 0) throw invalidRequest(errors)
  return { ...style, logo: image && { image, size: design.logo?.size, knockout: design.logo?.knockout ?? true } }
}

/** Values of absent fields. */
const plain = { shape: 'square', eyeFrame: 'square', eyeBall: 'square', margin: 4, level: 'M' } as const

function shapesOf({ shape, eye_frame, eye_ball, margin, ecl }: Design): Partial<Style> {
  const chosen = { shape, eyeFrame: eye_frame, eyeBall: eye_ball, margin, level: ecl }
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
}

type Inks = Pick<Style, 'ink' | 'eyeFrameInk' | 'eyeBallInk' | 'background'>

function inksOf(design: Design): Inks {
  const ink = inkOf(design)
  const customOr = (color: string | undefined): Fill => (color === undefined ? ink : { color: parseColor(color) })
  return {
    ink,
    eyeFrameInk: customOr(design.eye_frame_color),
    eyeBallInk: customOr(design.eye_ball_color),
    background: parseColor(design.bg ?? '#ffffff'),
  }
}

function contrastErrors(design: Design, { ink, eyeFrameInk, eyeBallInk, background }: Inks): FieldError[] {
  const fills = [
    [design.gradient ? 'gradient' : 'fg', ink],
    ['eye_frame_color', eyeFrameInk],
    ['eye_ball_color', eyeBallInk],
  ] as const
  return fills.flatMap(([name, fill], index) => {
    const ratio = leastContrast(fill, background)
    if (ratio >= MIN_CONTRAST || (index > 0 && fill === ink)) return []
    const detail = `has a contrast of ${ratio.toFixed(2)}:1 to bg; no scanner can distinguish them below ${MIN_CONTRAST}:1`
    return [{ pointer: `/${name}`, detail }]
  })
}

/** Invisible characters: controls, directional marks, joiners, line separators. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

function textErrors(frame: Frame | undefined, font: Font): FieldError[] {
  if (frame === undefined) return []
  const detail = textFault(frame.text, font)
  const { ratio } = contrast(frame.textColor, frame.color)
  return [
    ...(detail === undefined ? [] : [{ pointer: '/frame/text', detail }]),
    ...(ratio >= MIN_CONTRAST
      ? []
      : [
          {
            pointer: '/frame/text_color',
            detail: `has a contrast of ${ratio.toFixed(2)}:1 to the frame's colour; nobody can read it below ${MIN_CONTRAST}:1`,
          },
        ]),
  ]
}

/** Names an invisible character of a text; undefined when it has none. */
export function invisibleFault(text: string): string | undefined {
  const [character] = invisible.exec(text) ?? []
  if (character === undefined) return undefined
  return `has the invisible character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Why the font cannot write a text; undefined when it can. */
function textFault(text: string, font: Font): string | undefined {
  const invisible = invisibleFault(text)
  if (invisible !== undefined) return invisible
  if (text.trim() === '') return 'must not be blank'
  const missing = [...new Set(font.missing(text))]
  return missing.length === 0 ? undefined : `has characters that the font does not have: ${missing.join(' ')}`
}

function readImage({ logo }: Design, readLogo: ReadLogo, refuse: (detail: string) => void): Logo | undefined {
  if (logo === undefined) return undefined
  try {
    return readLogo(logo.image)
  } catch (error) {
    if (!(error instanceof LogoError)) throw error
    refuse(error.message)
    return undefined
  }
}

function inkOf({ fg, gradient }: Design): Fill {
  if (gradient === undefined) return { color: parseColor(fg ?? '#000000') }
  const { type, from, to, angle = 0 } = gradient
  return { gradient: type, from: parseColor(from), to: parseColor(to), angle }
}

function frameOf({ frame }: Design, ink: Fill): Frame | undefined {
  if (frame === undefined) return undefined
  const color = frame.color === undefined ? colorsOf(ink)[0] : parseColor(frame.color)
  const readable = contrast(color, white).ratio >= contrast(color, black).ratio ? white : black
  return {
    // The font has accented letters as single characters.
    text: frame.text.normalize('NFC'),
    position: frame.position ?? 'bottom',
    isRounded: (frame.shape ?? 'rounded') === 'rounded',
    color,
    textColor: frame.text_color === undefined ? readable : parseColor(frame.text_color),
  }
}

function colorsOf(fill: Fill): readonly [Color, ...Color[]] {
  return 'color' in fill ? [fill.color] : [fill.from, fill.to]
}

/** The lowest contrast in an image, and whether anything in it is lighter than its background. */
export function inkContrast({ ink, eyeFrameInk, eyeBallInk, background }: Inks): Contrast {
  const all = [ink, eyeFrameInk, eyeBallInk].flatMap(colorsOf).map((color) => contrast(color, background))
  return { ratio: Math.min(...all.map(({ ratio }) => ratio)), inverted: all.some(({ inverted }) => inverted) }
}

/** The contrast of a design that scans poorly, undefined for others. Only its colours decide, so that nothing is drawn. */
export function poorContrast(design: Design): Contrast | undefined {
  const worst = inkContrast(inksOf(design))
  return isPoor(worst) ? worst : undefined
}

/** The lowest contrast ratio of a fill. */
function leastContrast(fill: Fill, background: Color): number {
  return Math.min(...colorsOf(fill).map((color) => contrast(color, background).ratio))
}
