import type { KeptLink } from '../../my-links/kept-links.ts'
import { enableCopyButtons } from '../copy.ts'
import { refreshKept } from '../refresh-kept.ts'

// Copies what is shown once, keeps a new key in place of the earlier one, reveals a password while it is typed, and prints.

enableCopyButtons(document)
const { kept } = document.querySelector('main')?.dataset ?? {}
if (kept !== undefined) refreshKept(JSON.parse(kept) as KeptLink)
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
