import { enableCopyButtons } from '../copy.ts'
import { startKeeping } from '../keep-link.ts'
import { canShare, share } from '../secure-context.ts'

// On the page of an owner: buttons that copy and share, and what keeps its private address. The page works without it.

cleanAddress()
enableCopyButtons(document)
enableShareButtons(document)
const keep = document.querySelector<HTMLElement>('.keep')
if (keep !== null) startKeeping(keep)

/** Removes the name of the notice (`?created`), which would return with each reload and bookmark. */
function cleanAddress(): void {
  const address = new URL(location.href)
  const names = [...address.searchParams].filter(([, value]) => value === '').map(([name]) => name)
  if (names.length === 0) return
  for (const name of names) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}

/** Shows the buttons `[data-share]` below an element where the browser can share; each shares the address in that attribute. */
function enableShareButtons(root: ParentNode): void {
  if (!canShare) return
  for (const button of root.querySelectorAll<HTMLElement>('button[data-share]')) {
    button.hidden = false
    // A person who closes the browser's list of targets rejects the promise.
    button.addEventListener('click', () => void share({ url: button.dataset['share'] ?? '' }).catch(() => {}))
  }
}
