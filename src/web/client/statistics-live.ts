import { callApi } from './call-api.ts'
import type { Texts } from './statistics-page.ts'

/** New visits are said to screen readers this often. */
const ANNOUNCE_MS = 20_000
/** How often the number is read where the service refuses a stream, as it does when the client has too many. */
const POLL_MS = 10_000

/**
 * Follows the number of scans by the event stream while the page is visible: a hidden page must not hold one of the few
 * streams that a client may have.
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
  let source: EventSource | undefined
  const polling = createPolling(stream, update)

  const setLive = (isLive: boolean) => chip?.toggleAttribute('hidden', !isLive)

  function update(latest: number): void {
    if (latest === scans) return
    show(latest)
    announce(latest - scans)
    scans = latest
    refresh()
  }

  function open(): void {
    source = new EventSource(stream)
    source.addEventListener('open', () => setLive(true))
    source.addEventListener('error', () => {
      setLive(false)
      // A browser that has lost the connection tries again by itself.
      if (source?.readyState === EventSource.CLOSED) polling.start()
    })
    source.addEventListener('totals', ({ data }: MessageEvent<string>) => update(scansIn(JSON.parse(data))))
  }

  function close(): void {
    source?.close()
    source = undefined
    polling.stop()
    setLive(false)
  }

  document.addEventListener('visibilitychange', () => {
    close()
    if (document.visibilityState === 'visible') open()
  })
  open()
}

function scansIn(totals: unknown): number {
  return (totals as { scans: number }).scans
}

/** Reads the number at intervals. */
function createPolling(stream: string, update: (scans: number) => void) {
  let timer: ReturnType<typeof setInterval> | undefined
  const read = async () => {
    const scans = await readScans(stream)
    if (scans !== undefined && timer !== undefined) update(scans)
  }
  return {
    start: () => void (timer ??= setInterval(() => void read(), POLL_MS)),
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }
}

/** Reads the number without a stream, from the details of the link; undefined while that is not possible. */
async function readScans(stream: string): Promise<number | undefined> {
  try {
    const response = await callApi(stream.slice(0, stream.lastIndexOf('/')))
    return response.ok ? scansIn(((await response.json()) as { totals: unknown }).totals) : undefined
  } catch {
    return undefined
  }
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

/** Calls at once, and then at most once an interval. */
function throttle(call: () => void, intervalMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  function run(): void {
    isWanted = false
    call()
    timer = setTimeout(() => {
      timer = undefined
      if (isWanted) run()
    }, intervalMs)
  }
  return () => {
    if (timer === undefined) run()
    else isWanted = true
  }
}
