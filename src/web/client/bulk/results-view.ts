import { h, type ComponentChild } from 'preact'
import { count } from '../../bulk/count.ts'
import { pageAddress } from '../page-address.ts'
import { addressView } from './collection-view.ts'
import { PAGE_ROWS } from './actions.ts'
import type { ResultActions } from './results.ts'
import type { Update } from './run.ts'
import { createdOf, type CreatedLink, type Label, type State } from './state.ts'

/** The created links, what keeps their keys first. */
export function resultsView(
  state: State,
  actions: ResultActions,
  { update, startOver }: { update: Update; startOver: () => void },
): ComponentChild {
  const { texts, sheet, copied, run } = state
  const rows = createdOf(state)
  if (rows.length === 0) return undefined
  const isTrimmed = ({ link }: { link: CreatedLink }) =>
    link.warnings?.some(({ code }) => code === 'invisible_characters')
  const isEachAlone = rows.some(({ isCollected }) => !isCollected)
  const trimmed = rows.filter(isTrimmed).length
  const button = (text: string, onClick: () => void, isPlain = true) =>
    h('button', { type: 'button', disabled: run !== undefined, ...(isPlain && { class: 'plain' }), onClick }, text)
  const addresses = () => rows.map(({ link }) => link.short_url).join('\n')
  return h('section', { class: 'bulk-panel', 'aria-labelledby': 'bulk-done' }, [
    h('h2', { id: 'bulk-done' }, count(texts.done, rows.length)),
    trimmed > 0 && h('p', { class: 'note' }, count(texts.trimmedRows, trimmed)),
    addressView(state, actions.collection),
    isEachAlone ? eachView(state, actions, button) : h('p', null, texts.together.each),
    h('p', { class: 'row' }, [
      !isEachAlone && button(texts.downloadCsv, actions.saveCsv),
      button(texts.sheet, () => void actions.openSheet()),
      button(copied === 'all' ? texts.copied : texts.copyAll, () => void actions.copy(addresses(), 'all')),
    ]),
    archiveView(
      state,
      update,
      button(texts.downloadZip, () => void actions.saveZip()),
    ),
    sheet === undefined ? tableView(state, actions) : sheetView(state, sheet, actions),
    button(texts.startOver, startOver),
  ])
}

type NewButton = (text: string, onClick: () => void, isPlain?: boolean) => ComponentChild

/** What keeps links by their own addresses. */
function eachView(state: State, actions: ResultActions, button: NewButton): ComponentChild {
  const { texts } = state
  const isSomeTogether = createdOf(state).some(({ isCollected }) => isCollected)
  return h('div', { class: 'note warning' }, [
    h('h3', null, isSomeTogether ? texts.together.others : texts.keysTitle),
    h('p', null, texts.keys),
    h('p', { class: 'row' }, [button(texts.downloadCsv, actions.saveCsv, false), button(texts.keep, actions.keep)]),
    h('p', { class: 'hint' }, texts.keepHint),
  ])
}

/** How the images of the ZIP are, and what saves it. */
function archiveView({ texts, archive }: State, update: Update, save: ComponentChild): ComponentChild {
  const { format, formats, names, namings } = texts.archive
  const set = (change: Partial<State['archive']>) => update({ archive: { ...archive, ...change } })
  const select = <Name extends string>(
    label: string,
    chosen: Name,
    options: Record<Name, string>,
    onChoose: (name: Name) => void,
  ) =>
    h('label', null, [
      label,
      h(
        'select',
        {
          value: chosen,
          onChange: ({ currentTarget }: { currentTarget: HTMLSelectElement }) => onChoose(currentTarget.value as Name),
        },
        Object.entries<string>(options).map(([value, text]) => h('option', { value }, text)),
      ),
    ])
  return h('div', { class: 'row bulk-archive' }, [
    select(format, archive.format, formats, (format) => set({ format })),
    select(names, archive.names, namings, (names) => set({ names })),
    save,
  ])
}

function tableView(state: State, actions: ResultActions): ComponentChild {
  const { texts } = state
  const rows = createdOf(state)
  const heads = [texts.shortLink, texts.fields.target, texts.fields.title, texts.key]
  const body = rows
    .slice(0, PAGE_ROWS * 10)
    .map(({ cells, link }) =>
      h('tr', { key: link.code }, [
        linkCell(link, state, actions),
        h('td', { 'data-label': texts.fields.target }, cells.target),
        h('td', { 'data-label': texts.fields.title }, cells.title),
        h(
          'td',
          null,
          h('a', { href: pageAddress(link.manage_url), 'aria-label': `${texts.edit} ${link.code}` }, texts.edit),
        ),
      ]),
    )
  return h(
    'div',
    { class: 'bulk-scroll', role: 'region', 'aria-label': texts.linksTable, tabIndex: 0 },
    h('table', { class: 'bulk-table' }, [
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          heads.map((text) => h('th', { scope: 'col' }, text)),
        ),
      ),
      h('tbody', null, body),
    ]),
  )
}

function linkCell({ short_url, code }: CreatedLink, { texts, copied }: State, actions: ResultActions): ComponentChild {
  const onClick = () => void actions.copy(short_url, code)
  const label = `${texts.copy}: ${short_url}`
  return h('th', { scope: 'row' }, [
    h('a', { href: short_url }, short_url.replace(/^https?:\/\//, '')),
    ' ',
    h(
      'button',
      { type: 'button', class: 'bare copy', 'aria-label': label, onClick },
      copied === code ? texts.copied : texts.copy,
    ),
  ])
}

function sheetView({ texts }: State, labels: Label[], { closeSheet }: ResultActions): ComponentChild {
  return h('div', { class: 'bulk-print' }, [
    h('p', { class: 'row bulk-screen' }, [
      h('button', { type: 'button', onClick: () => print() }, texts.print),
      h('button', { type: 'button', class: 'plain', onClick: closeSheet }, texts.closeSheet),
    ]),
    h(
      'ul',
      { class: 'bulk-sheet' },
      labels.map(({ url, title, address }) =>
        h('li', { key: url }, [
          h('img', { src: url, alt: '' }),
          title !== '' && h('strong', null, title),
          // Longer addresses break before the code, which people type.
          h('span', null, [
            address.slice(0, address.indexOf('/') + 1),
            h('wbr', null),
            address.slice(address.indexOf('/') + 1),
          ]),
        ]),
      ),
    ),
  ])
}
