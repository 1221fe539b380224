import { invalidRequest, type FieldError } from '../../http/problem.ts'
import { contrast, MIN_CONTRAST, parseColor, type Color } from '../color.ts'
import type { Level } from '../encoder/tables.ts'
import type { EyeShape } from './eyes.ts'
import type { Font } from './font.ts'
import { LogoError } from '../logo/error.ts'
import type { Logo, ReadLogo } from '../logo/logo.ts'
import type { Design } from './schema.ts'
import type { ModuleShape } from './shapes.ts'

/** What a shape is filled with. */
export type Fill = { color: Color } | { gradient: 'linear' | 'radial'; from: Color; to: Color; angle: number }

export interface Frame {
  text: string
  position: 'top' | 'bottom'
  isRounded: boolean
  color: Color
  textColor: Color
}

/** A design with nothing left open. */
export interface Style {
  shape: ModuleShape
  eyeFrame: EyeShape
  eyeBall: EyeShape
  ink: Fill
  eyeFrameInk: Fill
  eyeBallInk: Fill
  background: Color
  /** `size` is undefined when none was asked for. */
  logo: { image: Logo; size: number | undefined; knockout: boolean } | undefined
  frame: Frame | undefined
  margin: number
  level: Level
}

/** What a design may name and does not hold itself. */
export interface Supplies {
  font: Font
  readLogo: ReadLogo
}

const black: Color = [0, 0, 0, 255]
const white: Color = [255, 255, 255, 255]

/**
 * Completes a design, which its schema has accepted.
 * @param at the pointer of the design in the request, for the errors
 * @throws {Problem} 400 for colours that no scanner can tell apart, a logo that is none, a text that cannot be drawn or read
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

/** What an absent choice means. */
const plain = { shape: 'square', eyeFrame: 'square', eyeBall: 'square', margin: 4, level: 'M' } as const

function shapesOf({ shape, eye_frame, eye_ball, margin, ecl }: Design): Partial<Style> {
  const chosen = { shape, eyeFrame: eye_frame, eyeBall: eye_ball, margin, level: ecl }
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
}

function inksOf(design: Design) {
  const ink = inkOf(design)
  const own = (color: string | undefined): Fill => (color === undefined ? ink : { color: parseColor(color) })
  return {
    ink,
    eyeFrameInk: own(design.eye_frame_color),
    eyeBallInk: own(design.eye_ball_color),
    background: parseColor(design.bg ?? '#ffffff'),
  }
}

function contrastErrors(
  design: Design,
  { ink, eyeFrameInk, eyeBallInk, background }: ReturnType<typeof inksOf>,
): FieldError[] {
  const fills = [
    [design.gradient ? 'gradient' : 'fg', ink],
    ['eye_frame_color', eyeFrameInk],
    ['eye_ball_color', eyeBallInk],
  ] as const
  return fills.flatMap(([name, fill], index) => {
    const ratio = leastContrast(fill, background)
    if (ratio >= MIN_CONTRAST || (index > 0 && fill === ink)) return []
    const detail = `has a contrast of ${ratio.toFixed(2)}:1 to bg, no scanner can tell them apart under ${MIN_CONTRAST}:1`
    return [{ pointer: `/${name}`, detail }]
  })
}

/** Controls, marks of direction, joiners, separators of lines: nothing of them can be seen. */
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
            detail: `has a contrast of ${ratio.toFixed(2)}:1 to the frame's colour, nobody can read it under ${MIN_CONTRAST}:1`,
          },
        ]),
  ]
}

function textFault(text: string, font: Font): string | undefined {
  const [unseen] = invisible.exec(text) ?? []
  if (unseen !== undefined) {
    const code = (unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `has the character U+${code}, which cannot be seen`
  }
  if (text.trim() === '') return 'has nothing that can be seen'
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
    // The font has an accented letter as one character, however it was typed.
    text: frame.text.normalize('NFC'),
    position: frame.position ?? 'bottom',
    isRounded: (frame.shape ?? 'rounded') === 'rounded',
    color,
    textColor: frame.text_color === undefined ? readable : parseColor(frame.text_color),
  }
}

export function colorsOf(fill: Fill): readonly [Color, ...Color[]] {
  return 'color' in fill ? [fill.color] : [fill.from, fill.to]
}

/** The contrast ratio of a fill where it is weakest. */
export function leastContrast(fill: Fill, background: Color): number {
  return Math.min(...colorsOf(fill).map((color) => contrast(color, background).ratio))
}
