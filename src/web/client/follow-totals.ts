import { callApi } from './call-api.ts'

/** How often the totals are read where the service refuses a stream, as it does when the client has too many. */
const POLL_MS = 10_000

/** Counts by name, as the API has them. */
export type FollowedTotals = Record<'scans' | 'qr', number>

export interface TotalsFollower {
  /** Called with the totals when the stream opens, and after each change; the same may come again. */
  update: (totals: FollowedTotals) => void
  /** Called when the stream is open, and when it is not any longer. */
  setLive?: (isLive: boolean) => void
}

/**
 * Follows the totals of a link by the event stream while the page is visible: a hidden page must not hold one of the few
 * streams that a client may have.
 * @param stream the address of the stream
 */
export function followTotals(stream: string, { update, setLive = () => {} }: TotalsFollower): void {
  let source: EventSource | undefined
  const polling = createPolling(stream, update)

  function open(): void {
    source = new EventSource(stream)
    source.addEventListener('open', () => setLive(true))
    source.addEventListener('error', () => {
      setLive(false)
      // A browser that has lost the connection tries again by itself.
      if (source?.readyState === EventSource.CLOSED) polling.start()
    })
    source.addEventListener('totals', ({ data }: MessageEvent<string>) => update(JSON.parse(data) as FollowedTotals))
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

/** Reads the totals at intervals. */
function createPolling(stream: string, update: TotalsFollower['update']) {
  let timer: ReturnType<typeof setInterval> | undefined
  const read = async () => {
    const totals = await readTotals(stream)
    if (totals !== undefined && timer !== undefined) update(totals)
  }
  return {
    start: () => void (timer ??= setInterval(() => void read(), POLL_MS)),
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }
}

/** Reads the totals without a stream, from the details of the link; undefined while that is not possible. */
async function readTotals(stream: string): Promise<FollowedTotals | undefined> {
  try {
    const response = await callApi(stream.slice(0, stream.lastIndexOf('/')))
    return response.ok ? ((await response.json()) as { totals: FollowedTotals }).totals : undefined
  } catch {
    return undefined
  }
}
