import { element } from './element.ts'
import { clipboard } from './secure-context.ts'

/** How long a button says that its text was copied. */
const SHOWN_MS = 2_000
let region: HTMLElement | undefined

/**
 * Shows the buttons `[data-copy]` below an element; each copies the text in that attribute. What it then says stands in
 * `data-copied`, of the button or of an element around it, and in `data-by-hand` what it says where the browser refuses.
 * The event `copied` then bubbles from the button.
 */
export function enableCopyButtons(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLElement>('button[data-copy]')) {
    button.hidden = false
    button.addEventListener('click', () => void copyFrom(button))
  }
}

async function copyFrom(button: HTMLElement): Promise<void> {
  const text = button.dataset['copy'] ?? ''
  const { copied = '✓', byHand = '' } = button.closest<HTMLElement>('[data-copied]')?.dataset ?? {}
  if (!(await copyText(text))) return selectBeside(button, text, byHand)
  announce(copied)
  button.dispatchEvent(new Event('copied', { bubbles: true }))
  const label = (button.dataset['label'] ??= button.textContent)
  const name = (button.dataset['name'] ??= button.ariaLabel ?? '')
  button.textContent = copied
  // A button is called what it shows.
  button.ariaLabel = null
  setTimeout(() => {
    button.textContent = label
    if (name !== '') button.ariaLabel = name
  }, SHOWN_MS)
}

/** Shows a text beside its button, selected, for a person to copy it. */
function selectBeside(button: HTMLElement, text: string, label: string): void {
  const before = button.nextElementSibling
  if (before?.matches('.copy-by-hand')) before.remove()
  const field = element('input')
  field.readOnly = true
  field.value = text
  const box = element('label', 'copy-by-hand', label)
  box.append(field)
  button.after(box)
  field.select()
}

/** Resolves with whether the text was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    const found = clipboard()
    if (found === undefined) return copyBySelection(text)
    await found.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.className = 'unseen'
  field.readOnly = true
  field.value = text
  document.body.append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    field.remove()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
}

/** Has screen readers say a text. */
function announce(text: string): void {
  region ??= createRegion()
  region.textContent = text
}

function createRegion(): HTMLElement {
  const made = document.createElement('p')
  made.className = 'unseen'
  made.ariaLive = 'polite'
  document.querySelector('main')?.append(made)
  return made
}
