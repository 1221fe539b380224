import { h, type ComponentChild } from 'preact'
import { fieldNames, type FieldName } from '../../../tables/link-columns.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { PAGE_ROWS, type Actions } from './actions.ts'
import { openOf, type GridRow, type State } from './state.ts'

const plainFields: ReadonlySet<FieldName> = new Set(['target', 'alias', 'title', 'campaign'])

/** The rows, to be corrected cell by cell. */
export function gridView(state: State, actions: Actions): ComponentChild {
  const { texts, from, shown } = state
  const open = openOf(state)
  if (open.length === 0) return undefined
  const rows = shown === undefined ? open : open.filter(({ id }) => shown.includes(id))
  const page = rows.slice(from, from + PAGE_ROWS)
  const isUsed = (name: FieldName) => state.rows.some(({ cells }) => (cells[name] ?? '') !== '')
  const fields = fieldNames.filter((name) => plainFields.has(name) || isUsed(name))
  const numbers = new Map(state.rows.map((row, at) => [row, at + 1]))
  const heading = (text: string) => h('th', { scope: 'col' }, text)
  return h('section', { class: 'card bulk-panel', 'aria-labelledby': 'bulk-rows' }, [
    h('h2', { id: 'bulk-rows' }, texts.rows),
    filterView(state, open, actions),
    h(
      'div',
      { class: 'bulk-scroll', role: 'region', 'aria-label': texts.rowsTable, tabIndex: 0 },
      h('table', { class: 'bulk-table bulk-grid' }, [
        h(
          'thead',
          null,
          h('tr', null, [heading('#'), ...fields.map((name) => heading(texts.fields[name])), h('td', null)]),
        ),
        h(
          'tbody',
          null,
          page.map((row) => rowView(state, row, { number: numbers.get(row) ?? 0, fields, actions })),
        ),
      ]),
    ),
    pagesView(state, rows.length, actions),
    h('button', { type: 'button', class: 'plain', onClick: actions.add }, texts.addRow),
  ])
}

function filterView({ texts, rows, shown }: State, open: GridRow[], actions: Actions): ComponentChild {
  const faulty = rows.filter(({ state }) => state === 'faulty').map(({ id }) => id)
  if (faulty.length === 0 && shown === undefined) return undefined
  const choice = (text: string, isPressed: boolean, onClick: () => void) =>
    h('button', { type: 'button', class: 'plain', 'aria-pressed': isPressed, onClick }, text)
  return h('p', { class: 'row' }, [
    choice(fillText(texts.faulty, { n: faulty.length }), shown !== undefined, () => actions.show(faulty)),
    choice(fillText(texts.all, { n: open.length }), shown === undefined, () => actions.show(undefined)),
  ])
}

function rowView(
  { texts, run }: State,
  row: GridRow,
  { number, fields, actions }: { number: number; fields: FieldName[]; actions: Actions },
): ComponentChild[] {
  const { fault, cells } = row
  const faultId = `bulk-fault-${row.id}`
  const cell = (name: FieldName) =>
    h('input', {
      type: 'text',
      value: cells[name] ?? '',
      'aria-label': fillText(texts.of, { what: texts.fields[name], n: number }),
      ...(fault?.field === name && { 'aria-invalid': true, 'aria-describedby': faultId }),
      readOnly: run !== undefined,
      maxLength: 4_000,
      autocomplete: 'off',
      spellcheck: false,
      onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => actions.edit(row, name, currentTarget.value),
    })
  const label = fillText(texts.removeRow, { n: number })
  const removal = { type: 'button', class: 'plain', onClick: () => actions.remove(row) }
  const main = h('tr', { key: row.id }, [
    h('th', { scope: 'row' }, [number, row.state === 'ready' && h('span', { class: 'bulk-ready' }, ' ✓')]),
    ...fields.map((name) => h('td', { 'data-label': texts.fields[name] }, cell(name))),
    h(
      'td',
      null,
      h('button', removal, [h('span', { class: 'unseen' }, label), h('span', { 'aria-hidden': true }, '×')]),
    ),
  ])
  if (fault === undefined) return [main]
  const text = h('p', { class: 'fault', id: faultId }, `${texts.fields[fault.field]}: ${fault.text}`)
  return [
    main,
    h('tr', { key: `${row.id}-fault`, class: 'bulk-faulty' }, [
      h('td', null),
      h('td', { colSpan: fields.length + 1 }, text),
    ]),
  ]
}

function pagesView({ texts, from }: State, n: number, actions: Actions): ComponentChild {
  if (n <= PAGE_ROWS) return undefined
  const turn = (text: string, to: number) =>
    h(
      'button',
      { type: 'button', class: 'plain', disabled: to < 0 || to >= n, onClick: () => actions.turnTo(to) },
      text,
    )
  return h('p', { class: 'row' }, [
    turn(texts.previous, from - PAGE_ROWS),
    h('span', null, fillText(texts.page, { from: from + 1, to: Math.min(n, from + PAGE_ROWS), n })),
    turn(texts.next, from + PAGE_ROWS),
  ])
}
