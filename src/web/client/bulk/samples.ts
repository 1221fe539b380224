import { fillText } from '../../../lib/fill-text.ts'
import { addressName } from '../../../lib/address-name.ts'
import type { Sample } from './list-designer.ts'
import { isUnfinished, openOf, type GridRow, type State } from './state.ts'

/** As long as random codes, for rows that choose none. */
const CODES = ['2345678', 'bcdfghj', 'mnpqrst']
/** Characters of a caption. */
const MAX_NAME = 40

/** Whether rows are ready for their look, or had one that they cannot have. */
export function isLookShown(state: State): boolean {
  const open = openOf(state)
  if (state.run !== undefined || isUnfinished(state)) return false
  const isChecked = open.every((row) => row.state === 'ready' || row.state === 'faulty')
  return isChecked && open.some((row) => row.state === 'ready' || row.fault?.field === 'design')
}

/**
 * The codes of the first rows, which do not exist yet: with the code that a row chooses, or one of that length.
 * @param codeText the text of a code, in which "{code}" stands for the code
 */
export function sampleCodes(state: State, codeText: string): Sample[] {
  const { texts, rows } = state
  return openOf(state)
    .filter((row) => row.state === 'ready' || row.fault?.field === 'design')
    .slice(0, CODES.length)
    .map((row, at) => {
      const code = row.cells.alias?.trim() || (CODES[at] ?? '')
      const n = rows.indexOf(row) + 1
      return { text: codeText.replace('{code}', code), caption: fillText(texts.look.sample, { n, name: nameOf(row) }) }
    })
}

function nameOf({ cells }: GridRow): string {
  const name = cells.title?.trim() || addressName(cells.target?.trim() ?? '')
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1).toWellFormed()}…` : name
}
