import type { FieldName, Mapping } from '../../../tables/link-columns.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { count } from '../../bulk/count.ts'
import { gridRows, MAX_LIST_ROWS, readTable, type LoadWorkbooks, type Table } from './read-table.ts'
import type { Update } from './run.ts'
import { clearSession } from './session.ts'
import { createdOf, newTogether, type GridRow, type State } from './state.ts'

/** What a person does to the rows. */
export interface Actions {
  /** Reads a list into the grid. */
  load: (source: string | Uint8Array) => Promise<void>
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

export function createActions(state: State, update: Update, loadWorkbooks: LoadWorkbooks): Actions {
  const { texts } = state

  return {
    async load(source) {
      const table = await readTable(source, texts.problems, loadWorkbooks)
      if (typeof table === 'string') update({ notice: { text: table, isAlarm: true } })
      else show(state, update, table)
    },
    startOver: () => startOver(state, update),
    setLayout(mapping, hasHeader) {
      if (state.table !== undefined) setTable({ ...state.table, layout: { mapping, hasHeader } }, state, update)
    },
    edit(row, field, text) {
      row.cells = { ...row.cells, [field]: text }
      row.state = 'new'
      delete row.fault
      delete row.isPart
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

function setTable(table: NonNullable<State['table']>, { texts }: State, update: Update): GridRow[] {
  const rows = gridRows(table, texts.faults)
  update({ table, rows, shown: undefined, from: 0, chunks: [] })
  return rows
}

function show(state: State, update: Update, table: Table): void {
  const { texts } = state
  const rows = setTable(table, state, update)
  const faulty = rows.filter(({ isPart }) => isPart).length
  const noTarget = !table.layout.mapping.includes('target')
  const said = [
    table.isCut ? fillText(texts.tooManyRows, { n: MAX_LIST_ROWS }) : count(texts.fileRead, rows.length),
    faulty > 0 && count(texts.someFaulty, faulty),
    table.encoding === 'windows-1252' && texts.notes.windows1252,
    noTarget && texts.columnsHelp,
  ]
  const text = said.filter((each) => each !== false).join(' ')
  update({ notice: { text, isAlarm: noTarget || table.isCut || faulty > 0 } })
}

/** Asks once more while the keys are not saved. */
function startOver(state: State, update: Update): void {
  const { texts, isSaved, isStartOverAsked } = state
  if (!isSaved && !isStartOverAsked && createdOf(state).length > 0) {
    return update({ isStartOverAsked: true, notice: { text: texts.startOverWarning, isAlarm: true } })
  }
  clearSession()
  update({ table: undefined, rows: [], chunks: [], shown: undefined, sheet: undefined, isSaved: false })
  update({ collection: undefined, together: newTogether(), looks: [] })
  update({ isStartOverAsked: false, notice: undefined })
}
