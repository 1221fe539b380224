// Copies what is shown once, and reveals a password while it is typed. Both work by hand without this.

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copies]')) {
  const input = inputOf(button.dataset['copies'])
  if (input !== null) startCopying(button, input)
}

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-reveals]')) {
  const input = inputOf(button.dataset['reveals'])
  if (input !== null) startRevealing(button, input)
}

function inputOf(id = ''): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>(`#${id}`)
}

function startCopying(button: HTMLButtonElement, input: HTMLInputElement): void {
  const { copied = '' } = button.dataset
  // A change of a button's name is not announced.
  const status = document.createElement('span')
  status.setAttribute('role', 'status')
  status.className = 'quiet'
  button.parentElement?.append(status)
  button.hidden = false
  button.addEventListener(
    'click',
    () => void copy(input).then((isCopied) => (status.textContent = isCopied ? copied : '')),
  )
  input.addEventListener('focus', () => input.select())
}

/** Selects the text where the clipboard is not allowed, as on plain HTTP: Ctrl+C then copies it. */
async function copy(input: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(input.value)
    return true
  } catch {
    input.focus()
    return false
  }
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
