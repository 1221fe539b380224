import { followTotals } from './follow-totals.ts'
import type { Texts } from './statistics-page.ts'
import { throttle } from './throttle.ts'

/** New visits are said to screen readers this often. */
const ANNOUNCE_MS = 20_000
/**
 * Follows the number of scans while the page is visible.
 * @param onChange called when there are new scans
 */
export function followScans(section: HTMLElement, texts: Texts, onChange: () => void): void {
  const { stream = '', scans: initial = '', refresh: interval = '' } = section.dataset
  const counter = section.querySelector<HTMLElement>('.stats-total')
  if (stream === '' || counter === null) return
  const show = createCounter(counter, texts)
  const announce = createAnnouncer(section, texts)
  const refresh = throttle(onChange, Number(interval))
  const chip = counter.querySelector<HTMLElement>('.chip')
  let scans = Number(initial)
  followTotals(stream, {
    setLive: (isLive) => chip?.toggleAttribute('hidden', !isLive),
    update({ scans: latest }) {
      if (latest === scans) return
      show(latest)
      announce(latest - scans)
      scans = latest
      refresh()
    },
  })
}

function createCounter(counter: HTMLElement, { soFar }: Texts): (scans: number) => void {
  const [number, words] = [counter.querySelector('b'), counter.querySelector('span')]
  const format = new Intl.NumberFormat(document.documentElement.lang)
  return (scans) => {
    if (number !== null) number.textContent = format.format(scans)
    if (words !== null) words.textContent = scans === 1 ? soFar.one : soFar.more
  }
}

/** Sums new scans, and says them at intervals: each one would be too much to listen to. */
function createAnnouncer(section: HTMLElement, { newScans }: Texts): (scans: number) => void {
  const status = section.querySelector('.stats-news')
  let sum = 0
  const say = throttle(() => {
    if (status !== null) status.textContent = `${newScans} ${sum}`
    sum = 0
  }, ANNOUNCE_MS)
  return (scans) => {
    sum += scans
    say()
  }
}
