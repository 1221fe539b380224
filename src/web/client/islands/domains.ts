import { enableCopyButtons } from '../copy.ts'
import { pageAddress } from '../page-address.ts'
import { rememberAccess } from '../remember-access.ts'

// Goes on checking a domain until its record is found. The page works without it.

/** The service checks a name at most every 10 seconds. */
const FIRST_MS = 10_000
const LONGEST_MS = 120_000
const FACTOR = 1.4

const main = document.querySelector<HTMLElement>('[data-domains]')
if (main !== null) {
  enableCopyButtons(main)
  schedule(main, FIRST_MS)
}
rememberAccess()

/** Checks again after a while, which grows; while nobody looks at the page, it waits. */
function schedule(main: HTMLElement, ms: number): void {
  if (main.querySelector('[data-domain="active"]') !== null) return
  setTimeout(() => {
    const next = () => schedule(main, Math.min(LONGEST_MS, ms * FACTOR))
    if (document.hidden) document.addEventListener('visibilitychange', next, { once: true })
    else void refresh(main).then(next, next)
  }, ms)
}

/** Takes the state of the domain from the page as it is now. */
async function refresh(main: HTMLElement): Promise<void> {
  const response = await fetch(pageAddress(main.dataset['domains'] ?? ''), { headers: { accept: 'text/html' } })
  if (!response.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.querySelector<HTMLElement>('[data-domain]')
  const shown = main.querySelector<HTMLElement>('[data-domain]')
  if (fresh === null || shown === null) return
  shown.dataset['domain'] = fresh.dataset['domain']
  // Part by part: what has the focus stays, and screen readers only announce what has changed.
  for (const [at, part] of [...fresh.children].entries()) {
    const before = shown.children[at]
    if (before === undefined || before.textContent === part.textContent || before.contains(document.activeElement))
      continue
    before.replaceChildren(...part.childNodes)
  }
}
