/** Adds a button that copies its text to each `[data-copy]` below an element; the texts stand in `data-copy-texts`. */
export function addCopyButtons(root: HTMLElement): void {
  const texts = JSON.parse(root.dataset['copyTexts'] ?? '{}') as { copy?: string; copied?: string }
  for (const source of root.querySelectorAll<HTMLElement>('[data-copy]')) {
    const text = source.textContent ?? ''
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'bare copy'
    button.textContent = texts.copy ?? ''
    button.ariaLabel = `${texts.copy ?? ''}: ${text}`
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(text).then(() => {
        button.textContent = texts.copied ?? ''
        setTimeout(() => (button.textContent = texts.copy ?? ''), 2_000)
      })
    })
    source.removeAttribute('data-copy')
    source.after(' ', button)
  }
}
