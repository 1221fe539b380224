import type { FieldError } from '../../http/problem.ts'

/** The name of each field of a design, as the start of a sentence. */
const names: Record<string, string> = {
  '': 'The design',
  shape: 'The shape of the modules',
  eye_frame: 'The shape of the eye frames',
  eye_ball: 'The shape of the eye balls',
  fg: 'The colour',
  gradient: 'The gradient',
  gradient_from: 'The first colour',
  gradient_to: 'The last colour',
  gradient_angle: 'The angle',
  bg: 'The background',
  eye_frame_color: 'The colour of the eye frames',
  eye_ball_color: 'The colour of the eye balls',
  logo: 'The logo',
  logo_size: 'The size of the logo',
  logo_knockout: 'The choice of modules behind the logo',
  frame: 'The frame',
  frame_text: 'The text',
  frame_position: 'The position of the text',
  frame_shape: 'The corners of the frame',
  frame_color: 'The colour of the frame',
  frame_text_color: 'The colour of the text',
  margin: 'The quiet zone',
  ecl: 'The error correction',
}

/** An error of a design as its form shows it. */
export interface Fault {
  /** The name of its input; empty for the design as a whole. */
  field: string
  /** A sentence. */
  text: string
}

/** Translates errors of the API that point into `/design` to the words of the form. */
export function faultsOf(errors: readonly FieldError[]): Fault[] {
  return errors.map(({ pointer, detail }) => {
    const path = pointer.startsWith('/design/') ? pointer.slice('/design/'.length) : ''
    const name = path.replaceAll('/', '_').replace('logo_image', 'logo')
    const known = Object.hasOwn(names, name) ? name : ''
    const text = known === 'logo_size' ? inPercent(detail) : withNames(detail)
    return { field: known === 'frame' ? 'frame_text' : known, text: `${names[known]} ${text}.` }
  })
}

/** Replaces the names of API fields by those that the form shows. */
function withNames(detail: string): string {
  const named = (name: string) => names[name]?.replace(/^T/, 't') ?? name
  const [start, end] = ['must be changed: without ', ' the image can be read']
  if (detail.startsWith(start) && detail.endsWith(end)) {
    const list = detail.slice(start.length, -end.length).split(', ')
    return start + list.map(named).join(' and ') + end
  }
  return detail.replace(/\b(?:bg|fg|eye_frame|eye_ball)\b/g, named)
}

/** The form has percentages where the API has fractions. */
function inPercent(detail: string): string {
  return detail.replace(/\b\d?\.\d+/g, (fraction) => `${Number((Number(fraction) * 100).toFixed(1))}%`)
}
