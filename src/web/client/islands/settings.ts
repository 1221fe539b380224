import { enableCopyButtons } from '../copy.ts'

// Copies what is shown once, and reveals a password while it is typed. Both work by hand without this.

enableCopyButtons(document)
const secret = inputOf('secret')
secret?.addEventListener('focus', () => secret.select())

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-reveals]')) {
  const input = inputOf(button.dataset['reveals'])
  if (input !== null) startRevealing(button, input)
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
