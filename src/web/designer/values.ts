import type { Design } from '../../qr/design/schema.ts'

/** Values of the inputs of the design form, by name; a ticked box holds "yes". */
export type DesignValues = Readonly<Record<string, string | undefined>>

type DesignPart = 'gradient' | 'logo' | 'frame'

/** A field of a design and its input. */
interface Field {
  /** The input's name. */
  name: string
  /** The object of the design that holds the field, unless the design itself does. */
  part?: DesignPart
  key: string
  /** What the input shows while the design does not have the field. */
  initial: string
  show: (value: unknown) => string
  read: (text: string) => unknown
  /** Whether the field counts only while a box, named `custom_` and the input's name, is ticked. */
  hasBox?: boolean
  /** Whether its part requires the field. */
  isRequired?: boolean
}

const same = { show: String, read: (text: string) => text }
/** A colour input holds six digits and no opacity. */
const color = { ...same, show: (value: unknown) => sixDigits(String(value)) }
const customColor = { ...color, initial: '#000000', hasBox: true }
const number = { show: String, read: (text: string) => (text.trim() === '' ? NaN : Number(text)) }

const fields: readonly Field[] = [
  { name: 'shape', key: 'shape', initial: 'square', ...same },
  { name: 'eye_frame', key: 'eye_frame', initial: 'square', ...same },
  { name: 'eye_ball', key: 'eye_ball', initial: 'square', ...same },
  { name: 'fg', key: 'fg', initial: '#000000', ...color },
  { name: 'bg', key: 'bg', initial: '#ffffff', ...color },
  { name: 'eye_frame_color', key: 'eye_frame_color', ...customColor },
  { name: 'eye_ball_color', key: 'eye_ball_color', ...customColor },
  { name: 'gradient', part: 'gradient', key: 'type', initial: 'none', ...same },
  { name: 'gradient_from', part: 'gradient', key: 'from', initial: '#5a189a', ...color, isRequired: true },
  { name: 'gradient_to', part: 'gradient', key: 'to', initial: '#03045e', ...color, isRequired: true },
  { name: 'gradient_angle', part: 'gradient', key: 'angle', initial: '0', ...number },
  {
    name: 'logo_size',
    part: 'logo',
    key: 'size',
    initial: '20',
    show: (fraction) => String(Number((Number(fraction) * 100).toFixed(6))),
    read: (percent) => number.read(percent) / 100,
  },
  {
    name: 'logo_knockout',
    part: 'logo',
    key: 'knockout',
    initial: 'yes',
    show: (isLeftOut) => (isLeftOut === true ? 'yes' : 'no'),
    read: (text) => text === 'yes',
  },
  {
    name: 'frame_text',
    part: 'frame',
    key: 'text',
    initial: '',
    show: String,
    read: (text) => text.trim() || undefined,
  },
  { name: 'frame_position', part: 'frame', key: 'position', initial: 'bottom', ...same },
  { name: 'frame_shape', part: 'frame', key: 'shape', initial: 'rounded', ...same },
  { name: 'frame_color', part: 'frame', key: 'color', ...customColor },
  { name: 'frame_text_color', part: 'frame', key: 'text_color', ...customColor, initial: '#ffffff' },
  { name: 'margin', key: 'margin', initial: '4', ...number },
  { name: 'ecl', key: 'ecl', initial: 'M', ...same },
]

/** "transparent" has no digits: it becomes white, and a box of its own holds it. */
function sixDigits(text: string): string {
  const digits = text.replace('#', '').toLowerCase()
  if (/^[\da-f]{3}$/.test(digits)) return `#${digits.replace(/./g, '$&$&')}`
  return /^[\da-f]{6}/.test(digits) ? `#${digits.slice(0, 6)}` : '#ffffff'
}

function valueIn(design: Design, { part, key }: Field): unknown {
  const holder = part === undefined ? design : design[part]
  return (holder as Record<string, unknown> | undefined)?.[key]
}

/** The values of all inputs for a design. */
export function valuesOfDesign(design: Design = {}): Record<string, string> {
  const values: Record<string, string> = { transparent: design.bg === 'transparent' ? 'yes' : '' }
  for (const field of fields) {
    const value = valueIn(design, field)
    values[field.name] = value === undefined ? field.initial : field.show(value)
    if (field.hasBox) values[`custom_${field.name}`] = value === undefined ? '' : 'yes'
  }
  return values
}

/**
 * The design that a form describes, not validated. An input that the client did not change leaves its field exactly as
 * it is saved, although the input may hold less: no opacity of a colour, no absent field.
 * @param values `logo` is a new logo, `logo_image` one that was sent before and not saved, both as data URIs
 * @param saved the design that is saved
 */
export function designOfValues(values: DesignValues, saved: Design = {}): Design {
  const shown = valuesOfDesign(saved)
  const read = (field: Field) => {
    const { name, initial, hasBox, isRequired } = field
    if (hasBox && values[`custom_${name}`] !== 'yes') return undefined
    const text = isHidden(name, values) ? undefined : values[name]
    if (text !== undefined && text !== shown[name]) return field.read(text)
    return valueIn(saved, field) ?? (hasBox || isRequired ? initial : undefined)
  }
  const whole: Record<string, unknown> = {}
  const parts: Record<DesignPart, Record<string, unknown>> = {
    gradient: {},
    logo: defined({ image: imageOf(values, saved) }),
    frame: {},
  }
  for (const field of fields) {
    const value = read(field)
    if (value !== undefined) (field.part === undefined ? whole : parts[field.part])[field.key] = value
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

/** Whether the style sheet hides the input because of another one. */
function isHidden(name: string, values: DesignValues): boolean {
  return name === 'gradient_angle' && values['gradient'] !== 'linear'
}

/** A new logo replaces the saved one, and so does the box that removes it. */
function imageOf(values: DesignValues, { logo }: Design): string | undefined {
  if (values['logo']) return values['logo']
  return values['logo_remove'] === 'yes' ? undefined : values['logo_image'] || logo?.image
}

/** Drops undefined members. */
function defined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
