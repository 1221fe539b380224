import type { KeepIslandTexts } from '../../texts/keep.ts'
import type { KeptCollection } from '../my-links/kept-collections.ts'
import { isKeptKey, type KeptLink } from '../my-links/kept-links.ts'
import { takeCreation } from './creation-mark.ts'
import { keepableCollection, keepableLink, type Keepable } from './keepable.ts'
import { saveFile } from './save-file.ts'
import { canShare, share } from './secure-context.ts'

interface Panel {
  kept: Keepable
  texts: KeepIslandTexts
  message: HTMLElement
  /** What the folded section says. */
  state: HTMLElement | null
  button: HTMLElement
  isKept: boolean
  /** Whether the owner has sent, copied or saved the private address. */
  isTaken: boolean
}

/**
 * On the page of a link or a collection: keeps its private address in this browser, by default after a creation, and lets it be
 * sent and saved.
 */
export function startKeeping(root: HTMLElement): void {
  const [message, button] = [root.querySelector<HTMLElement>('[role=status]'), root.querySelector<HTMLElement>('.bare')]
  if (message === null || button === null) return
  const { link, collection = '{}', texts: json = '{}' } = root.dataset
  const kept =
    link === undefined
      ? keepableCollection(JSON.parse(collection) as KeptCollection)
      : keepableLink(JSON.parse(link) as KeptLink)
  const texts = JSON.parse(json) as KeepIslandTexts
  const state = root.querySelector<HTMLElement>('.settings-value')
  const panel: Panel = { kept, texts, message, state, button, isKept: kept.refresh(), isTaken: false }
  const isNew = 'new' in root.dataset
  const wasCreatedHere = takeCreation() && isNew
  show(panel, panel.isKept ? 'kept' : wasCreatedHere ? keep(panel) : 'notKept')
  root.querySelector<HTMLElement>('.keep-here')?.removeAttribute('hidden')
  button.addEventListener('click', () => show(panel, panel.isKept ? drop(panel) : keep(panel)))
  // "My links" in another tab may have forgotten or imported it.
  addEventListener('storage', ({ key }) => {
    if (!isKeptKey(key)) return
    panel.isKept = kept.isKept()
    show(panel, panel.isKept ? 'kept' : 'notKept')
  })
  enableTaking(root, panel)
  if (isNew) warnBeforeLoss(panel)
}

type Outcome = 'kept' | 'notKept' | 'dropped' | 'notDropped' | 'failed' | 'full'

function show({ texts, message, state, button, isKept }: Panel, outcome: Outcome): void {
  if (state !== null) state.textContent = isKept ? texts.here : texts.notHere
  message.textContent = texts[outcome]
  button.textContent = isKept ? texts.drop : texts.keep
}

function keep(panel: Panel): Outcome {
  const outcome = panel.kept.keep()
  panel.isKept = outcome === 'kept'
  return outcome
}

function drop(panel: Panel): Outcome {
  panel.isKept = !panel.kept.drop()
  return panel.isKept ? 'notDropped' : 'dropped'
}

function enableTaking(root: HTMLElement, panel: Panel): void {
  const take = () => void (panel.isTaken = true)
  // By the button, and by hand where the browser has refused it.
  for (const name of ['copied', 'copy']) root.addEventListener(name, take)
  const send = root.querySelector<HTMLAnchorElement>('[data-send]')
  send?.addEventListener('click', (event) => {
    if (canShare) {
      event.preventDefault()
      // A person who closes the browser's list of targets rejects the promise.
      void share(JSON.parse(send.dataset['send'] ?? '{}') as ShareData).then(take, () => {})
    } else take()
  })
  const save = root.querySelector<HTMLElement>('[data-save]')
  if (save === null) return
  save.hidden = false
  save.addEventListener('click', () => {
    const { text = '' } = JSON.parse(send?.dataset['send'] ?? '{}') as ShareData
    saveFile(save.dataset['save'] ?? '', 'text/plain', text)
    take()
  })
}

/** Has the browser ask before a new link is left for good. */
function warnBeforeLoss(panel: Panel): void {
  addEventListener('beforeunload', (event) => {
    if (!panel.isKept && !panel.isTaken) event.preventDefault()
  })
}
