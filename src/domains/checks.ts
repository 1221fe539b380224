import type { Database } from '../db/database.ts'
import { isPassing, type DnsCheck, type DnsFault } from './dns.ts'
import { afterCheck, forgottenBefore, type Domain } from './domain.ts'
import type { KnownDomains } from './known.ts'
import { claimCheck, countActive, deleteForgotten, findDomain, findDue, updateDomain } from './store.ts'

/** How many names below one registrable name may be active: one owner's share of certificates. */
export const MAX_ACTIVE = 40

/** A name that does not lead here is looked up at most once in this time, however often it is asked for. */
const FRESH_MS = 10_000

/** Checks at a time that callers wait for, and that the sweep runs. */
const MAX_WAITING = 100
const SWEEP_WIDTH = 10
const SWEEP_LENGTH = 200

/** Longer than any check takes: who claims one and dies leaves it to another process after this time. */
const CLAIM_MS = 60_000

/** Keeps the status of names true to what DNS says. */
export interface Checks {
  /** Looks the name up now, and writes what was found. Undefined when the name has gone meanwhile. */
  check: (domain: Domain) => Promise<Domain | undefined>
  /** The name as it stands; one that is not active is looked up first, unless that was done just now. */
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

  async function look(domain: Domain): Promise<Domain | undefined> {
    const fault = await dns.faultOf(domain.name)
    const checked = await db.transaction(async (transaction) => {
      const next = afterCheck(domain, fault, fault !== undefined && isPassing(fault), now())
      const isNew = next.status === 'active' && domain.status !== 'active'
      const isTooMany = isNew && (await countActive(transaction, domain.registrable)) >= MAX_ACTIVE
      const final = isTooMany ? afterCheck(domain, tooMany(domain), false, now()) : next
      return (await updateDomain(transaction, final)) ? final : undefined
    })
    known.note(domain.name, checked?.status)
    return checked
  }

  function check(domain: Domain): Promise<Domain | undefined> {
    const running = underWay.get(domain.name)
    if (running !== undefined) return running
    const mine = look(domain).finally(() => underWay.delete(domain.name))
    underWay.set(domain.name, mine)
    return mine
  }

  async function sweep(): Promise<void> {
    await deleteForgotten(db.write, forgottenBefore(now()))
    await known.refresh()
    const due = (await findDue(db.read, now(), SWEEP_LENGTH)).values()
    const worker = async () => {
      for (const domain of due) {
        if (await claimCheck(db.write, domain, now() + CLAIM_MS)) await check(domain)
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
      if (domain === undefined || domain.status === 'active') return domain
      const isFresh = now() - (domain.checkedAt ?? Number.NEGATIVE_INFINITY) < FRESH_MS
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

function tooMany({ registrable }: Domain): DnsFault {
  return {
    code: 'too_many_active',
    detail: `it leads here, but ${MAX_ACTIVE} names under ${registrable} are active already: remove one of them`,
  }
}
