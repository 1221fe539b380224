import type { FieldName, Mapping } from '../../bulk/columns.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { count } from '../../bulk/count.ts'
import { gridRows, MAX_LIST_ROWS, readTable } from './read-table.ts'
import type { Update } from './run.ts'
import { clearSession } from './session.ts'
import { createdOf, type GridRow, type State } from './state.ts'

/** What a person does to the rows. */
export interface Actions {
  /** Reads a list into the grid. */
  load: (text: string) => void
  setLayout: (mapping: Mapping, hasHeader: boolean) => void
  edit: (row: GridRow, field: FieldName, text: string) => void
  add: () => void
  remove: (row: GridRow) => void
  show: (ids: number[] | undefined) => void
  turnTo: (from: number) => void
  startOver: () => void
}

/** Rows that a person who types them begins with. */
const FIRST_ROWS = 3

export function createActions(state: State, update: Update): Actions {
  const { texts } = state

  return {
    load: (text) => load(state, update, text),
    startOver: () => startOver(state, update),
    setLayout(mapping, hasHeader) {
      if (state.table !== undefined) setTable({ ...state.table, layout: { mapping, hasHeader } }, update)
    },
    edit(row, field, text) {
      row.cells = { ...row.cells, [field]: text }
      row.state = 'new'
      delete row.fault
      update({})
    },
    add() {
      const first = state.rows.length === 0 ? FIRST_ROWS : 1
      const next = Math.max(-1, ...state.rows.slice(-1).map(({ id }) => id)) + 1
      const added = Array.from({ length: first }, (_, at): GridRow => ({ id: next + at, cells: {}, state: 'new' }))
      const rows = [...state.rows, ...added]
      update({ rows, shown: undefined, from: Math.floor((rows.length - 1) / PAGE_ROWS) * PAGE_ROWS, notice: undefined })
    },
    remove(row) {
      const at = state.rows.indexOf(row) + 1
      const rows = state.rows.filter((each) => each !== row)
      update({ rows, from: 0, notice: { text: fillText(texts.removed, { n: at }) } })
    },
    show: (ids) => update({ shown: ids, from: 0 }),
    turnTo: (from) => update({ from }),
  }
}

/** Rows of the grid on one page: thousands of inputs would make typing slow. */
export const PAGE_ROWS = 50

function setTable(table: NonNullable<State['table']>, update: Update): GridRow[] {
  const rows = gridRows(table)
  update({ table, rows, shown: undefined, from: 0, chunks: [] })
  return rows
}

function load({ texts }: State, update: Update, text: string): void {
  const table = readTable(text, texts.problems)
  if (typeof table === 'string') return update({ notice: { text: table, isAlarm: true } })
  const rows = setTable(table, update)
  const read = table.isCut ? fillText(texts.tooManyRows, { n: MAX_LIST_ROWS }) : count(texts.fileRead, rows.length)
  const noTarget = !table.layout.mapping.includes('target')
  update({ notice: { text: noTarget ? `${read} ${texts.columnsHelp}` : read, isAlarm: noTarget || table.isCut } })
}

/** Asks once more while the keys are not saved. */
function startOver(state: State, update: Update): void {
  const { texts, isSaved, isStartOverAsked } = state
  if (!isSaved && !isStartOverAsked && createdOf(state).length > 0) {
    return update({ isStartOverAsked: true, notice: { text: texts.startOverWarning, isAlarm: true } })
  }
  clearSession()
  update({ table: undefined, rows: [], chunks: [], shown: undefined, sheet: undefined, isSaved: false })
  update({ isStartOverAsked: false, notice: undefined })
}
