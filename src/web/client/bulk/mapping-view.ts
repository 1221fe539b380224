import { h, type ComponentChild } from 'preact'
import { fieldNames, type FieldName } from '../../../tables/link-columns.ts'
import { fillText } from '../../../lib/fill-text.ts'
import type { Actions } from './actions.ts'
import type { State } from './state.ts'

/** What each column of the list holds, to be changed. */
export function mappingView({ table, texts }: State, actions: Actions): ComponentChild {
  if (table === undefined) return undefined
  const { mapping, hasHeader } = table.layout
  const set = (at: number, field: FieldName | undefined) => {
    // A field can come from one column only.
    actions.setLayout(
      mapping.map((each, column) => (column === at ? field : each === field ? undefined : each)),
      hasHeader,
    )
  }
  return h('section', { class: 'card bulk-panel', 'aria-labelledby': 'bulk-columns' }, [
    h('h2', { id: 'bulk-columns' }, texts.columns),
    h('p', null, texts.columnsHelp),
    h('label', { class: 'choice' }, [
      h('input', { type: 'checkbox', checked: hasHeader, onChange: () => actions.setLayout(mapping, !hasHeader) }),
      texts.header,
    ]),
    h(
      'div',
      { class: 'bulk-map' },
      mapping.map((field, at) => {
        const name = hasHeader ? table.records[0]?.cells[at]?.trim() : ''
        const example = table.records[hasHeader ? 1 : 0]?.cells[at] ?? ''
        return h('label', null, [
          shortened(name === '' || name === undefined ? fillText(texts.column, { n: at + 1 }) : name),
          h('small', null, shortened(example)),
          select(field, (chosen) => set(at, chosen), texts),
        ])
      }),
    ),
  ])
}

function select(
  field: FieldName | undefined,
  onChoose: (field: FieldName | undefined) => void,
  texts: State['texts'],
): ComponentChild {
  const onChange = ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
    onChoose(fieldNames.find((name) => name === currentTarget.value))
  return h('select', { value: field ?? '', onChange }, [
    h('option', { value: '' }, texts.ignore),
    ...fieldNames.map((name) => h('option', { value: name }, texts.fields[name])),
  ])
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text
}
