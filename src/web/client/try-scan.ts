import { followTotals } from './follow-totals.ts'
import { showLocalTimes } from './local-times.ts'
import { pageAddress } from './page-address.ts'
import { throttle } from './throttle.ts'

/** A person who has scanned looks at the page for about as long, and then wonders. */
const LATE_MS = 45_000
/** What has arrived is read this often at most. */
const READ_MS = 2_000

/** Says when a scan of the code has arrived. */
export function startScan(section: HTMLElement): void {
  const { stream = '', arrived = '', counted = 'qr', count: initial = '' } = section.dataset
  const texts = JSON.parse(section.dataset['texts'] ?? '{}') as Record<'waiting' | 'late', string>
  const status = () => section.querySelector<HTMLElement>('.try-arrived')
  const has = () => status()?.hasAttribute('data-has') === true
  const say = (text: string) => {
    if (!has()) status()?.replaceChildren(paragraph(text))
  }
  let count = initial === '' ? undefined : Number(initial)
  const read = throttle(() => void replaceArrived(status(), pageAddress(arrived)), READ_MS)

  // Who sees them come needs not look.
  for (const element of section.querySelectorAll('.try-look')) element.toggleAttribute('hidden', true)
  section.querySelector('.try-live')?.removeAttribute('hidden')
  say(texts.waiting)
  setTimeout(() => {
    if (has()) return
    say(texts.late)
    section.querySelector('.try-checks')?.setAttribute('open', '')
  }, LATE_MS)
  followTotals(stream, {
    update(totals) {
      const latest = totals[counted === 'scans' ? 'scans' : 'qr']
      if (latest !== count) read()
      count = latest
    },
  })
}

/** Shows what the page has, read anew, when a scan has arrived. */
async function replaceArrived(status: HTMLElement | null, address: string): Promise<void> {
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' } })
    if (!response.ok || status === null) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const fresh = page.querySelector('.try-arrived[data-has]')
    if (fresh === null) return
    // The element stays, so that screen readers say what is new in it.
    status.setAttribute('data-has', '')
    status.replaceChildren(...fresh.children)
    showLocalTimes(status)
  } catch {
    // The next change of the totals reads it.
  }
}

function paragraph(text: string): HTMLElement {
  const made = document.createElement('p')
  made.textContent = text
  return made
}
