import { announce } from './announce.ts'

/** How long a button says that its text was copied. */
const SHOWN_MS = 2_000

/**
 * Shows the buttons `[data-copy]` below an element; each copies the text in that attribute. What it then says stands in
 * `data-copied`, of the button or of an element around it.
 */
export function enableCopyButtons(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLElement>('button[data-copy]')) {
    button.hidden = false
    button.addEventListener('click', () => void copyFrom(button))
  }
}

async function copyFrom(button: HTMLElement): Promise<void> {
  if (!(await copyText(button.dataset['copy'] ?? ''))) return
  const said = button.closest<HTMLElement>('[data-copied]')?.dataset['copied'] ?? '✓'
  announce(said)
  const label = (button.dataset['label'] ??= button.textContent)
  button.textContent = said
  setTimeout(() => (button.textContent = label), SHOWN_MS)
}

/** Resolves with whether the text was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Browsers have no clipboard on plain HTTP, in spite of its type.
    const clipboard = navigator.clipboard as Clipboard | undefined
    if (clipboard === undefined) return copyBySelection(text)
    await clipboard.writeText(text)
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
