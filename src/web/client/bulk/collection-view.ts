import { h, type ComponentChild } from 'preact'
import { fillText } from '../../../lib/fill-text.ts'
import { count } from '../../bulk/count.ts'
import { markCreation } from '../creation-mark.ts'
import { pageAddress } from '../page-address.ts'
import { canShare } from '../secure-context.ts'
import { keptCollections } from './collection.ts'
import type { CollectionActions } from './collection-actions.ts'
import type { Update } from './run.ts'
import { createdOf, openOf, type State } from './state.ts'

/** Whether the links are kept together in a collection, and in which: above the buttons that create them. */
export function togetherView(state: State, update: Update): ComponentChild {
  const { texts, together, collection, run } = state
  const kept = keptCollections()
  if (run !== undefined || (collection === undefined && openOf(state).length < (kept.length > 0 ? 1 : 2)))
    return undefined
  const { box, hint, into, unnamed } = texts.together
  const set = (change: Partial<State['together']>) => update({ together: { ...together, ...change } })
  const isOpen = together.isChosen && collection === undefined
  return h('fieldset', { class: 'card bulk-panel bulk-together' }, [
    h('label', { class: 'choice' }, [
      h('input', {
        type: 'checkbox',
        checked: together.isChosen,
        onChange: () => set({ isChosen: !together.isChosen }),
      }),
      collection === undefined ? box : fillText(into, { name: collection.name || unnamed }),
    ]),
    h('p', { class: 'hint' }, hint),
    isOpen && kept.length > 0 && keptSelect(state, kept, set),
    isOpen && together.kept === '' && nameField(state, set),
  ])
}

type SetTogether = (change: Partial<State['together']>) => void

function keptSelect({ texts, together }: State, kept: ReturnType<typeof keptCollections>, set: SetTogether) {
  const { which, another, unnamed } = texts.together
  const onChange = ({ currentTarget }: { currentTarget: HTMLSelectElement }) => set({ kept: currentTarget.value })
  const id = 'bulk-kept'
  return [
    h('label', { for: id }, which),
    h('select', { id, value: together.kept, onChange }, [
      h('option', { value: '' }, another),
      ...kept.map(({ token, name }) => h('option', { value: token }, name?.trim() || unnamed)),
    ]),
  ]
}

function nameField({ texts, together }: State, set: SetTogether): ComponentChild {
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }) => set({ name: currentTarget.value })
  return h('label', null, [
    texts.together.name,
    h('input', { type: 'text', value: together.name, maxLength: 100, dir: 'auto', onInput }),
  ])
}

/** The address of the collection of the created links, and what keeps it. */
export function addressView(state: State, actions: CollectionActions): ComponentChild {
  const { texts, collection } = state
  const links = createdOf(state).filter(({ isCollected }) => isCollected).length
  const created = collection?.created
  if (created === undefined || links === 0) return undefined
  const { title, lead, open, save } = texts.together
  const path = pageAddress(`/c/${created.token}${collection?.isNew ? '?created' : ''}`)
  const button = (text: string, onClick: () => void) => h('button', { type: 'button', class: 'plain', onClick }, text)
  return h('div', { class: 'note warning' }, [
    h('h3', null, title),
    h('p', null, count(lead, links)),
    h('p', { class: 'keep-address' }, h('a', { href: path, onClick: markCreation }, actions.address())),
    h('p', { class: 'row' }, [
      h('a', { class: 'button', href: path, onClick: markCreation }, open),
      button(state.copied === 'collection' ? texts.copied : texts.copy, () => void actions.copy()),
      canShare
        ? button(texts.together.send, () => void actions.share())
        : h('a', { class: 'button plain', href: actions.mail(), onClick: actions.take }, texts.together.send),
      button(save, actions.save),
      button(texts.keep, actions.keep),
    ]),
    h('p', { class: 'hint' }, texts.together.keepHint),
  ])
}
