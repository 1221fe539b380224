import type { FieldError } from '../../http/problem.ts'
import { fillText } from '../../lib/fill-text.ts'
import type { DesignFaultTexts, DesignField } from '../../texts/design-faults.ts'

/** An error of a design as its form shows it. */
export interface Fault {
  /** The name of its input; empty for the design as a whole. */
  field: string
  /** A sentence. */
  text: string
}

/** Says errors of the API that point into `/design` in the words of the form. */
export function faultsOf(errors: readonly FieldError[], texts: DesignFaultTexts): Fault[] {
  return errors.map(({ pointer, detail }) => {
    const path = pointer.startsWith('/design/') ? pointer.slice('/design/'.length) : ''
    const name = path.replaceAll('/', '_').replace('logo_image', 'logo')
    const known = isField(name, texts) ? name : ''
    return { field: known === 'frame' ? 'frame_text' : known, text: sentence(known, detail, texts) }
  })
}

/** Why the design as a whole was refused. */
export function wholeFault(detail: string, texts: DesignFaultTexts): Fault {
  return { field: '', text: fillText(texts.faults[''], { reason: detail }) }
}

function isField(name: string, { names }: DesignFaultTexts): name is DesignField {
  return Object.hasOwn(names, name)
}

function sentence(field: DesignField, detail: string, texts: DesignFaultTexts): string {
  const { faults, unreadable, and } = texts
  const [start, end] = ['must be changed: without ', ' the image can be read']
  if (detail.startsWith(start) && detail.endsWith(end)) {
    const fields = detail.slice(start.length, -end.length).split(', ')
    return fillText(unreadable, { fields: fields.map((name) => named(name, texts)).join(and) })
  }
  const reason =
    field === 'logo_size'
      ? inPercent(detail)
      : detail.replace(/\b(?:bg|fg|eye_frame|eye_ball)\b/g, (name) => named(name, texts))
  return fillText(faults[field], { reason })
}

/** The name of an API field as the form shows it, inside of a sentence. */
function named(name: string, texts: DesignFaultTexts): string {
  if (!isField(name, texts)) return name
  const text = texts.names[name]
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

/** The form has percentages where the API has fractions. */
function inPercent(detail: string): string {
  return detail.replace(/\b\d?\.\d+/g, (fraction) => `${Number((Number(fraction) * 100).toFixed(1))}%`)
}
