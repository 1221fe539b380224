import type { Database } from '../db/database.ts'
import { MAX_CLAIMED_NAME } from './claim.ts'
import type { Domain, Served } from './domain.ts'
import { readDomainName } from './name.ts'
import { notePages } from './page-names-store.ts'
import { findDomain } from './store.ts'

/** Names that the pages of one link count for in a day: its owner may send any `Host`. */
const MAX_OF_LINK = 4
/** Pages of this many names and links are told from new ones. */
const MAX_KNOWN = 10_000
const DAY_MS = 86_400_000

interface PageNamesNeeds {
  db: Database
  now: () => number
  /** The service's own host. */
  host: string | undefined
  statusOf: (name: string) => Served | undefined
  /** Runs what nobody waits for. */
  run: (work: Promise<unknown>) => void
}

/**
 * Notes under which names owners open their pages: one that is registered later, by anybody, goes on serving them until its DNS
 * proves the registration. Each name is written once a day. A name that is registered already, and was not found here yet, is not noted:
 * anybody can send any `Host`, and would keep a name from being narrowed whose owner has only to set its record.
 * @returns to be called when the page of an owner was sent, with the name, and what identifies the link
 */
export function createPageNames({
  db,
  now,
  host,
  statusOf,
  run,
}: PageNamesNeeds): (text: string, link: string) => void {
  const known = new Set<string>()
  const ofLink = new Map<string, number>()
  let day = Number.NaN

  function isNoted(name: string, link: string): boolean {
    const today = Math.floor(now() / DAY_MS)
    if (today !== day || known.size >= MAX_KNOWN || ofLink.size >= MAX_KNOWN) {
      day = today
      known.clear()
      ofLink.clear()
    }
    const count = ofLink.get(link) ?? 0
    if (known.has(name) || count >= MAX_OF_LINK) return true
    known.add(name)
    ofLink.set(link, count + 1)
    return false
  }

  async function note(name: string): Promise<void> {
    // Another process may have registered it a moment ago.
    const domain = await findDomain(db.read, name)
    if (domain === undefined || hasLedHere(domain)) await notePages(db.write, [{ name, at: now() }])
  }

  return (text, link) => {
    if (text === host || text.length > MAX_CLAIMED_NAME) return
    const served = statusOf(text)
    if (served === 'active' || served === 'pending' || isNoted(text, link)) return
    const name = readDomainName(text, host)
    if (typeof name !== 'string') run(note(name.name))
  }
}

/**
 * Whether a registered name was found here, and was not narrowed: whoever has registered it may remove it, and register it again when it
 * leads elsewhere for a moment.
 */
const hasLedHere = ({ status, proofWanted }: Domain) => status !== 'pending' && proofWanted
