import type { KeptCollection } from '../../my-links/kept-collections.ts'
import type { KeptLink } from '../../my-links/kept-links.ts'
import { enableCopyButtons } from '../copy.ts'
import { keepableCollection, keepableLink } from '../keepable.ts'

// Copies what is shown once, keeps a new key in place of the earlier one, reveals a password while it is typed, and prints.

enableCopyButtons(document)
const { kept, keptCollection, replaced } = document.querySelector('main')?.dataset ?? {}
if (kept !== undefined) keepableLink(JSON.parse(kept) as KeptLink).refresh()
if (keptCollection !== undefined) keepableCollection(JSON.parse(keptCollection) as KeptCollection, replaced).refresh()
const secret = inputOf('secret')
secret?.addEventListener('focus', () => secret.select())

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-reveals]')) {
  const input = inputOf(button.dataset['reveals'])
  if (input !== null) startRevealing(button, input)
}

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}

function inputOf(id = ''): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>(`#${id}`)
}

function startRevealing(button: HTMLButtonElement, input: HTMLInputElement): void {
  const show = (isShown: boolean) => {
    input.type = isShown ? 'text' : 'password'
    button.setAttribute('aria-pressed', String(isShown))
  }
  button.hidden = false
  button.addEventListener('click', () => show(input.type === 'password'))
  // Browsers store what was typed into a visible field, to suggest it.
  input.form?.addEventListener('submit', () => show(false))
}
