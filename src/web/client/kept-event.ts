// Browsers tell only other tabs that storage has changed.

const NAME = 'kept-changed'

/** Tells the other scripts of this page that what is kept has changed. */
export function tellKept(): void {
  dispatchEvent(new Event(NAME))
}

/** Calls back when what is kept has changed, by this page or in another tab. */
export function onKept(changed: () => void): void {
  addEventListener(NAME, changed)
  addEventListener('storage', changed)
}
