import { cleanAddress } from '../clean-address.ts'
import { enableCopyButtons } from '../copy.ts'
import { takeCreation } from '../creation-mark.ts'
import { startKeeping } from '../keep-address.ts'
import { canShare, share } from '../secure-context.ts'

// On the page of an owner: buttons that copy and share, and what keeps its private address. The page works without it.

cleanAddress()
enableCopyButtons(document)
enableShareButtons(document)
const keep = document.querySelector<HTMLElement>('.keep')
if (keep !== null) startKeeping(keep)
// In a collection it has no address of its own that is to be kept.
else takeCreation()

/** Shows the buttons `[data-share]` below an element where the browser can share; each shares the address in that attribute. */
function enableShareButtons(root: ParentNode): void {
  if (!canShare) return
  for (const button of root.querySelectorAll<HTMLElement>('button[data-share]')) {
    button.hidden = false
    // A person who closes the browser's list of targets rejects the promise.
    button.addEventListener('click', () => void share({ url: button.dataset['share'] ?? '' }).catch(() => {}))
  }
}
