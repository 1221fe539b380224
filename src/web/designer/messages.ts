import type { FieldError } from '../../http/problem.ts'

/** What a person calls each choice of a design, as the start of a sentence. */
const names: Record<string, string> = {
  '': 'The design',
  shape: 'The shape of the modules',
  eye_frame: 'The shape of the eyes',
  eye_ball: 'What is in the eyes',
  fg: 'The colour',
  gradient: 'The gradient',
  gradient_from: 'The first colour',
  gradient_to: 'The last colour',
  gradient_angle: 'The angle',
  bg: 'The background',
  eye_frame_color: 'The colour of the eyes',
  eye_ball_color: 'The colour in the eyes',
  logo: 'The logo',
  logo_size: 'The size of the logo',
  logo_knockout: 'What is behind the logo',
  frame: 'The frame',
  frame_text: 'The text',
  frame_position: 'The place of the text',
  frame_shape: 'The corners of the frame',
  frame_color: 'The colour of the frame',
  frame_text_color: 'The colour of the text',
  margin: 'The quiet zone',
  ecl: 'Error correction',
}

/** A fault of a design as its form shows it. */
export interface Fault {
  /** The name of the input that it stands beside; empty for the design as a whole. */
  field: string
  /** A sentence. */
  text: string
}

/** Errors of the API that point into `/design`, for the form. */
export function faultsOf(errors: readonly FieldError[]): Fault[] {
  return errors.map(({ pointer, detail }) => {
    const path = pointer.startsWith('/design/') ? pointer.slice('/design/'.length) : ''
    const name = path.replaceAll('/', '_').replace('logo_image', 'logo')
    const known = Object.hasOwn(names, name) ? name : ''
    const words = known === 'logo_size' ? inPercent(detail) : inWords(detail)
    return { field: known === 'frame' ? 'frame_text' : known, text: `${names[known]} ${words}.` }
  })
}

function inWords(detail: string): string {
  const named = (name: string) => names[name]?.replace(/^[TW]/, (first) => first.toLowerCase()) ?? name
  const [start, end] = ['must be changed: without ', ' the image can be read']
  if (detail.startsWith(start) && detail.endsWith(end)) {
    const list = detail.slice(start.length, -end.length).split(', ')
    return start + list.map(named).join(' and ') + end
  }
  return detail.replace(/\b(?:bg|fg|eye_frame|eye_ball)\b/g, named)
}

/** The form has percents where the API has shares. */
function inPercent(detail: string): string {
  return detail.replace(/\b\d?\.\d+/g, (share) => `${Number((Number(share) * 100).toFixed(1))} %`)
}
