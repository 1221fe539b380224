import type { Design } from '../../qr/design/schema.ts'

/** What the inputs of the design's form hold, by their names; a box that is ticked holds "yes". */
export type DesignValues = Readonly<Record<string, string | undefined>>

type Part = 'gradient' | 'logo' | 'frame'

/** A choice of a design, and the input that makes it. */
interface Choice {
  /** The input's name. */
  name: string
  /** Where the choice stands in a design. */
  part?: Part
  key: string
  /** What the input shows while the choice is left open. */
  blank: string
  show: (value: unknown) => string
  read: (text: string) => unknown
  /** Whether a box, `own_` and the name, must be ticked for the choice to be made. */
  hasBox?: boolean
  /** Whether the choice cannot be left open where its part is there. */
  isNeeded?: boolean
}

const same = { show: String, read: (text: string) => text }
/** An input for a colour holds six digits and no opacity. */
const color = { ...same, show: (value: unknown) => sixDigits(String(value)) }
const ownColor = { ...color, blank: '#000000', hasBox: true }
const number = { show: String, read: (text: string) => (text.trim() === '' ? NaN : Number(text)) }

const choices: readonly Choice[] = [
  { name: 'shape', key: 'shape', blank: 'square', ...same },
  { name: 'eye_frame', key: 'eye_frame', blank: 'square', ...same },
  { name: 'eye_ball', key: 'eye_ball', blank: 'square', ...same },
  { name: 'fg', key: 'fg', blank: '#000000', ...color },
  { name: 'bg', key: 'bg', blank: '#ffffff', ...color },
  { name: 'eye_frame_color', key: 'eye_frame_color', ...ownColor },
  { name: 'eye_ball_color', key: 'eye_ball_color', ...ownColor },
  { name: 'gradient', part: 'gradient', key: 'type', blank: 'none', ...same },
  { name: 'gradient_from', part: 'gradient', key: 'from', blank: '#5a189a', ...color, isNeeded: true },
  { name: 'gradient_to', part: 'gradient', key: 'to', blank: '#03045e', ...color, isNeeded: true },
  { name: 'gradient_angle', part: 'gradient', key: 'angle', blank: '0', ...number },
  {
    name: 'logo_size',
    part: 'logo',
    key: 'size',
    blank: '20',
    show: (share) => String(Number((Number(share) * 100).toFixed(6))),
    read: (percent) => number.read(percent) / 100,
  },
  {
    name: 'logo_knockout',
    part: 'logo',
    key: 'knockout',
    blank: 'yes',
    show: (isLeftOut) => (isLeftOut === true ? 'yes' : 'no'),
    read: (text) => text === 'yes',
  },
  { name: 'frame_text', part: 'frame', key: 'text', blank: '', show: String, read: (text) => text.trim() || undefined },
  { name: 'frame_position', part: 'frame', key: 'position', blank: 'bottom', ...same },
  { name: 'frame_shape', part: 'frame', key: 'shape', blank: 'rounded', ...same },
  { name: 'frame_color', part: 'frame', key: 'color', ...ownColor },
  { name: 'frame_text_color', part: 'frame', key: 'text_color', ...ownColor, blank: '#ffffff' },
  { name: 'margin', key: 'margin', blank: '4', ...number },
  { name: 'ecl', key: 'ecl', blank: 'M', ...same },
]

/** "transparent" has no digits; a box says it instead. */
function sixDigits(text: string): string {
  const digits = text.replace('#', '').toLowerCase()
  if (/^[\da-f]{3}$/.test(digits)) return `#${digits.replace(/./g, '$&$&')}`
  return /^[\da-f]{6}/.test(digits) ? `#${digits.slice(0, 6)}` : '#ffffff'
}

function chosenIn(design: Design, { part, key }: Choice): unknown {
  const place = part === undefined ? design : design[part]
  return (place as Record<string, unknown> | undefined)?.[key]
}

/** How the form shows a design: each input has something, also for what the design leaves open. */
export function valuesOfDesign(design: Design = {}): Record<string, string> {
  const values: Record<string, string> = { transparent: design.bg === 'transparent' ? 'yes' : '' }
  for (const choice of choices) {
    const chosen = chosenIn(design, choice)
    values[choice.name] = chosen === undefined ? choice.blank : choice.show(chosen)
    if (choice.hasBox) values[`own_${choice.name}`] = chosen === undefined ? '' : 'yes'
  }
  return values
}

/**
 * The design that a form asks for, not checked yet. What the form holds as it was shown stays exactly as it was, also
 * where an input cannot hold all of it: a colour's opacity, or that it was left open.
 * @param values `logo` is a new logo, `logo_image` one that was sent before and not saved, both as data URIs
 * @param before the design that is saved
 */
export function designOfValues(values: DesignValues, before: Design = {}): Design {
  const shown = valuesOfDesign(before)
  const read = (choice: Choice) => {
    const { name, blank, hasBox, isNeeded } = choice
    if (hasBox && values[`own_${name}`] !== 'yes') return undefined
    const text = isPointless(name, values) ? undefined : values[name]
    if (text !== undefined && text !== shown[name]) return choice.read(text)
    return chosenIn(before, choice) ?? (hasBox || isNeeded ? blank : undefined)
  }
  const whole: Record<string, unknown> = {}
  const parts: Record<Part, Record<string, unknown>> = {
    gradient: {},
    logo: defined({ image: imageOf(values, before) }),
    frame: {},
  }
  for (const choice of choices) {
    const value = read(choice)
    if (value !== undefined) (choice.part === undefined ? whole : parts[choice.part])[choice.key] = value
  }
  const { gradient, logo, frame } = parts
  if (values['transparent'] === 'yes') whole['bg'] = 'transparent'
  else if (whole['bg'] === 'transparent') whole['bg'] = shown['bg']
  return defined({
    ...whole,
    gradient: (gradient['type'] ?? 'none') === 'none' ? undefined : gradient,
    logo: logo['image'] === undefined ? undefined : logo,
    frame: frame['text'] === undefined ? undefined : frame,
  })
}

/** Whether the input is hidden, because of another choice. */
function isPointless(name: string, values: DesignValues): boolean {
  return name === 'gradient_angle' && values['gradient'] !== 'linear'
}

/** A new logo takes the place of the one that was there, and so does none. */
function imageOf(values: DesignValues, { logo }: Design): string | undefined {
  if (values['logo']) return values['logo']
  return values['logo_remove'] === 'yes' ? undefined : values['logo_image'] || logo?.image
}

/** Without what is left open. */
function defined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
