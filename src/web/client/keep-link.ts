import { fillText } from '../../lib/fill-text.ts'
import type { KeepIslandTexts } from '../../texts/keep.ts'
import {
  forgetLinks,
  isKeptKey,
  keepLinks,
  MAX_KEPT,
  readKept,
  writeKept,
  type KeptLink,
} from '../my-links/kept-links.ts'
import { takeCreation } from './creation-mark.ts'
import { keptStorage } from './kept-storage.ts'
import { refreshKept } from './refresh-kept.ts'
import { saveFile } from './save-file.ts'
import { canShare, share } from './secure-context.ts'

interface Keeping {
  link: KeptLink
  texts: KeepIslandTexts
  message: HTMLElement
  /** What the folded section says. */
  state: HTMLElement | null
  button: HTMLElement
  isKept: boolean
  /** Whether the owner has sent, copied or saved the private address. */
  isTaken: boolean
}

/** On the owner's page: keeps its private address in this browser, by default after a creation, and lets it be sent and saved. */
export function startKeeping(root: HTMLElement): void {
  const [message, button] = [root.querySelector<HTMLElement>('[role=status]'), root.querySelector<HTMLElement>('.bare')]
  if (message === null || button === null) return
  const { link: linkJson = '{}', texts: json = '{}' } = root.dataset
  const link = JSON.parse(linkJson) as KeptLink
  const texts = JSON.parse(json) as KeepIslandTexts
  const state = root.querySelector<HTMLElement>('.settings-value')
  const keeping: Keeping = { link, texts, message, state, button, isKept: refreshKept(link), isTaken: false }
  const isNew = 'new' in root.dataset
  const wasCreatedHere = takeCreation() && isNew
  show(keeping, keeping.isKept ? 'kept' : wasCreatedHere ? keep(keeping) : 'notKept')
  root.querySelector<HTMLElement>('.keep-here')?.removeAttribute('hidden')
  button.addEventListener('click', () => show(keeping, keeping.isKept ? drop(keeping) : keep(keeping)))
  // "My links" in another tab may have forgotten or imported it.
  addEventListener('storage', ({ key }) => {
    if (!isKeptKey(key)) return
    keeping.isKept = readKept(keptStorage).some(({ token }) => token === link.token)
    show(keeping, keeping.isKept ? 'kept' : 'notKept')
  })
  enableTaking(root, keeping)
  if (isNew) warnBeforeLoss(keeping)
}

type Outcome = 'kept' | 'notKept' | 'dropped' | 'notDropped' | 'failed' | 'full'

function show({ texts, message, state, button, isKept }: Keeping, outcome: Outcome): void {
  if (state !== null) state.textContent = isKept ? texts.here : texts.notHere
  message.textContent = texts[outcome]
  button.textContent = isKept ? texts.drop : texts.keep
}

function keep(keeping: Keeping): Outcome {
  const links = keepLinks(readKept(keptStorage), [keeping.link])
  if (links.length > MAX_KEPT) return 'full'
  keeping.isKept = writeKept(keptStorage, links)
  return keeping.isKept ? 'kept' : 'failed'
}

function drop(keeping: Keeping): Outcome {
  const links = forgetLinks(readKept(keptStorage), new Set([keeping.link.token]))
  keeping.isKept = !writeKept(keptStorage, links)
  return keeping.isKept ? 'notDropped' : 'dropped'
}

function enableTaking(root: HTMLElement, keeping: Keeping): void {
  const take = () => void (keeping.isTaken = true)
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
    saveFile(fillText(keeping.texts.fileName, { code: keeping.link.code }), 'text/plain', text)
    take()
  })
}

/** Has the browser ask before a new link is left for good. */
function warnBeforeLoss(keeping: Keeping): void {
  addEventListener('beforeunload', (event) => {
    if (!keeping.isKept && !keeping.isTaken) event.preventDefault()
  })
}
