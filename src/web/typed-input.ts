import { html } from '../http/html.ts'
import { Problem, REASON, type FieldError } from '../http/problem.ts'
import type { Values } from './form.ts'

/** UTF-16 units of a text: the longest field holds 2,000 characters of up to two units. */
const MAX_TEXT = 4_000
/** The same of a label or an address in a row, which hold at most 2,048. */
const MAX_PART = 2_048
const MAX_ROWS = 100
/** Bytes of all rows in HTML; 100 rows of the greatest length have 660,000. */
const MAX_ROWS_BYTES = 900_000

/** What the client typed into a form that was refused, to show it again. */
export interface TypedInput {
  values: Values
  utm: Record<string, string>
  problem: Problem
}

/** Cuts what was typed to what its fields can hold, so that the page stays small; an error names each cut field. */
export function truncateInput({ values, utm, problem }: TypedInput): TypedInput {
  const cuts: FieldError[] = []
  const truncate = (text: string, pointer: string) => {
    if (text.length <= MAX_TEXT) return text
    const reason = { name: 'cut', limit: MAX_TEXT } as const
    cuts.push({ pointer, detail: `was cut to its first ${MAX_TEXT} characters`, [REASON]: reason })
    return text.slice(0, MAX_TEXT).toWellFormed()
  }
  const truncated = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'string') return [name, truncate(value, `/${name}`)]
    if (!Array.isArray(value)) return [name, value]
    const rows = truncateRows(value as Row[])
    if (rows.length < value.length) {
      const count = rows.length === 1 ? 'row' : `${rows.length} rows`
      const reason = { name: 'rows_cut', limit: rows.length } as const
      cuts.push({ pointer: `/${name}`, detail: `was cut to its first ${count}`, [REASON]: reason })
    }
    return [name, rows]
  })
  const truncatedUtm = Object.entries(utm).map(([name, value]) => [name, truncate(value, `/utm/${name}`)])
  const { code, message, headers, errors } = problem
  return {
    values: Object.fromEntries(truncated),
    utm: Object.fromEntries(truncatedUtm),
    problem: new Problem(code, message, { headers, errors: [...errors, ...cuts], cause: problem }),
  }
}

interface Row {
  label: string
  url: string
}

function truncateRows(rows: Row[]): Row[] {
  const cut = (text: string) => (text.length > MAX_PART ? text.slice(0, MAX_PART + 1).toWellFormed() : text)
  const fitting = rows.slice(0, MAX_ROWS).map(({ label, url }) => ({ label: cut(label), url: cut(url) }))
  let bytes = 0
  return fitting.filter(({ label, url }) => (bytes += Buffer.byteLength(html`${label}${url}`.markup)) <= MAX_ROWS_BYTES)
}
