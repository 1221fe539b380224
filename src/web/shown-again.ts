import { html } from '../http/html.ts'
import { Problem, type FieldError } from '../http/problem.ts'
import type { Values } from './form.ts'

/** Code units of a text: the longest field holds 2,000 characters, of up to two each. */
const MAX_TEXT = 4_000
/** Of the parts of a row, which hold 2,048 at most. */
const MAX_PART = 2_048
const MAX_ROWS = 100
/** Bytes of all rows in HTML; 100 rows as long as they may be have 660,000. */
const MAX_ROWS_BYTES = 900_000

/** What was typed into a form that is shown again. */
export interface Typed {
  values: Values
  utm: Record<string, string>
  problem: Problem
}

/** What was typed, as much of it as its fields can hold; what had to be cut is said beside it, and why is known there. */
export function fitToShow({ values, utm, problem }: Typed): Typed {
  const cuts: FieldError[] = []
  const fit = (text: string, pointer: string) => {
    if (text.length <= MAX_TEXT) return text
    cuts.push({ pointer, detail: `was far too long: only its first ${MAX_TEXT} characters are left here` })
    return text.slice(0, MAX_TEXT).toWellFormed()
  }
  const shown = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'string') return [name, fit(value, `/${name}`)]
    if (!Array.isArray(value)) return [name, value]
    const rows = fitRows(value as Row[])
    if (rows.length < value.length)
      cuts.push({ pointer: `/${name}`, detail: `was cut to its first ${rows.length} rows` })
    return [name, rows]
  })
  const shownUtm = Object.entries(utm).map(([name, value]) => [name, fit(value, `/utm/${name}`)])
  const { code, message, headers, errors } = problem
  return {
    values: Object.fromEntries(shown),
    utm: Object.fromEntries(shownUtm),
    problem: new Problem(code, message, { headers, errors: [...errors, ...cuts], cause: problem }),
  }
}

interface Row {
  label: string
  url: string
}

function fitRows(rows: Row[]): Row[] {
  const cut = (text: string) => (text.length > MAX_PART ? text.slice(0, MAX_PART + 1).toWellFormed() : text)
  const fitting = rows.slice(0, MAX_ROWS).map(({ label, url }) => ({ label: cut(label), url: cut(url) }))
  let bytes = 0
  return fitting.filter(({ label, url }) => (bytes += Buffer.byteLength(html`${label}${url}`.markup)) <= MAX_ROWS_BYTES)
}
