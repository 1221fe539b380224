import { yieldEvery } from '../lib/yield-every.ts'
import type { ListedHost, Screening } from './screen.ts'

/** How often is looked which names the service has: they become active and are lost. */
const LOOK_MS = 60_000
/** How long visits may wait meanwhile, in milliseconds: a service may have a hundred thousand names. */
const SLICE_MS = 5
/** Of more names nobody is told. */
const MAX_NAMES = 1000

interface OwnListedNeeds {
  /** The service's own host, and the custom domains that lead here. */
  ownNames: () => Iterable<string>
  listingOf: Screening['listingOf']
  /** Called when other names than before are listed. */
  onChange: () => void
  log: { warn: (details: object, text: string) => void; error: (details: object, text: string) => void }
}

/** Names of the service itself that a list has, or something on them: the operator wants to know, and links are not judged by that. */
export interface OwnListed {
  found: () => readonly ListedHost[]
  /** Identifies them; empty when there are none. */
  digest: () => string
  look: () => Promise<void>
  close: () => Promise<void>
}

export function watchOwnListed({ ownNames, listingOf, onChange, log }: OwnListedNeeds): OwnListed {
  let found: readonly ListedHost[] = []
  let digest = ''
  const told = new Set<string>()
  let running: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    found = await findListed(ownNames(), listingOf)
    for (const { host, list } of found) {
      const key = `${host} ${list}`
      if (told.has(key) || told.size >= MAX_NAMES) continue
      told.add(key)
      log.warn({ host, list }, 'a list names this service itself: no link is blocked for that; ask its publisher why')
    }
    const now = digestOf(found)
    if (now === digest) return
    digest = now
    onChange()
  }

  const run = () => {
    running = running
      .then(look)
      .catch((err: unknown) => log.error({ err }, 'it could not be found whether a list names this service'))
    return running
  }
  const timer = setInterval(() => void run(), LOOK_MS).unref()
  return {
    found: () => found,
    digest: () => digest,
    look: run,
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

async function findListed(names: Iterable<string>, listingOf: Screening['listingOf']): Promise<ListedHost[]> {
  const listed: ListedHost[] = []
  const pause = yieldEvery(SLICE_MS)
  for (const host of names) {
    const listing = listingOf(host)
    if (listing !== undefined) listed.push(listing)
    if (listed.length >= MAX_NAMES) break
    await pause()
  }
  return listed
}

function digestOf(found: readonly ListedHost[]): string {
  return found
    .map(({ host }) => host)
    .sort()
    .join()
}
