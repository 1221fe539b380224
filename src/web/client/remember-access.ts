import { keptStorage } from './kept-storage.ts'

const NAME = 'quirl.access-code'

/** On a private instance: remembers its access code in this browser, when the person ticks the box for it. */
export function rememberAccess(): void {
  const label = document.querySelector<HTMLElement>('[data-remember]')
  const box = label?.querySelector('input')
  const input = document.querySelector<HTMLInputElement>('[name=creation_key]')
  if (!label || !box || !input) return
  const known = read()
  input.value ||= known
  box.checked = known !== ''
  label.hidden = false
  const store = () => {
    if (!write(box.checked ? input.value.trim() : '')) box.checked = false
  }
  box.addEventListener('change', store)
  input.addEventListener('change', () => {
    if (box.checked) store()
  })
}

function read(): string {
  try {
    return keptStorage.getItem(NAME) ?? ''
  } catch {
    return ''
  }
}

/** Returns whether the browser stored the code; none is removed at once. */
function write(code: string): boolean {
  try {
    if (code === '') keptStorage.removeItem(NAME)
    else keptStorage.setItem(NAME, code)
    return true
  } catch {
    return false
  }
}
