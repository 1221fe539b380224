let region: HTMLElement | undefined

/** Has screen readers say a text. */
export function announce(text: string): void {
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
