import { canShare, share } from './secure-context.ts'

/** Shows the buttons `[data-share]` below an element where the browser can share; each shares the address in that attribute. */
export function enableShareButtons(root: ParentNode): void {
  if (!canShare) return
  for (const button of root.querySelectorAll<HTMLElement>('button[data-share]')) {
    button.hidden = false
    // A person who closes the browser's list of targets rejects the promise.
    button.addEventListener('click', () => void share({ url: button.dataset['share'] ?? '' }).catch(() => {}))
  }
}
