import type { Database } from '../db/database.ts'
import { CLAIM_MS } from './claim.ts'
import { deleteExpiredClaims, findLastClaimed } from './claim-store.ts'
import type { DnsCheck } from './dns.ts'
import { forgottenBefore, type Domain } from './domain.ts'
import type { KnownDomains } from './known.ts'
import { createLook } from './look.ts'
import { claimCheck, deleteForgotten, findDomain, findDue } from './store.ts'

/** A name that does not lead here is looked up at most once in this time, however often it is asked for. */
const FRESH_MS = 10_000

/** Checks at a time that callers wait for, and that the sweep runs. */
const MAX_WAITING = 100
const SWEEP_WIDTH = 10
const SWEEP_LENGTH = 200

/** Longer than any check takes: who takes one and dies leaves it to another process after this time. */
const HELD_MS = 60_000

/** Keeps the status of names, and whose they are, true to what DNS says. */
export interface Checks {
  /** Looks the name up now, and writes what was found. Undefined when the name has gone meanwhile. */
  check: (domain: Domain) => Promise<Domain | undefined>
  /** The name as it stands; one that is not active, or claimed, is looked up first, unless that was done just now. */
  freshen: (name: string) => Promise<Domain | undefined>
  /** Does the checks that are due, forgets what has waited too long, reads what others have written. */
  sweep: () => Promise<void>
}

interface CheckDeps {
  db: Database
  now: () => number
  dns: DnsCheck
  known: KnownDomains
}

export function createChecks({ db, now, dns, known }: CheckDeps): Checks {
  const underWay = new Map<string, Promise<Domain | undefined>>()
  const look = createLook({ db, now, dns, known })

  function check(domain: Domain): Promise<Domain | undefined> {
    const running = underWay.get(domain.name)
    if (running !== undefined) return running
    const mine = look(domain).finally(() => underWay.delete(domain.name))
    underWay.set(domain.name, mine)
    return mine
  }

  async function sweep(): Promise<void> {
    await deleteExpiredClaims(db.write, now() - CLAIM_MS)
    await deleteForgotten(db.write, forgottenBefore(now()))
    await known.refresh()
    const due = (await findDue(db.read, now(), SWEEP_LENGTH)).values()
    const worker = async () => {
      for (const domain of due) {
        if (await claimCheck(db.write, domain, now() + HELD_MS)) await check(domain)
      }
    }
    await Promise.all(Array.from({ length: SWEEP_WIDTH }, worker))
  }

  return {
    check,
    async freshen(name) {
      const domain = await findDomain(db.read, name)
      // Another process may have registered, changed or removed it a moment ago.
      if (known.statusOf(name) !== domain?.status) known.note(name, domain?.status)
      if (domain === undefined) return undefined
      if (domain.status === 'active' && (await findLastClaimed(db.read, name, now() - CLAIM_MS)) === undefined)
        return domain
      // A clock that was set back makes the last check one of the future, which says nothing.
      const isFresh = Math.abs(now() - (domain.checkedAt ?? Number.NEGATIVE_INFINITY)) < FRESH_MS
      const isBusy = underWay.size >= MAX_WAITING && !underWay.has(name)
      return isFresh || isBusy ? domain : check(domain)
    },
    sweep: onlyOnce(sweep),
  }
}

/** A run that is asked for while one is under way is that one. */
function onlyOnce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= run().finally(() => (running = undefined)))
}
