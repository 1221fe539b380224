import type { Database } from '../db/database.ts'
import type { RemovalClock } from '../db/removal-clock.ts'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { Holder } from '../lib/holder.ts'
import { createSharedRuns, shareRun } from '../lib/share-runs.ts'
import { createAwaitedChecks, type AwaitCheck } from './awaited-checks.ts'
import { CLAIM_MS } from './claim.ts'
import { deleteExpiredClaims, findLastClaimTime } from './claim-store.ts'
import type { DnsCheck } from './dns.ts'
import { isTransient } from './dns-fault.ts'
import { expiryCutoffs, servedOf, type Domain } from './domain.ts'
import type { StatusCache } from './status-cache.ts'
import { createDomainCheck } from './check-domain.ts'
import { leaseCheck, deleteExpired, findDomain, findDue } from './store.ts'

/** How long a check counts as fresh: requests cannot cause more frequent checks of a name. */
const FRESH_MS = 10_000

/** Requests and connections that wait for checks: fewer than requests about domains may be in progress, so that others are answered. */
export const MAX_AWAITING = 32
/** Names that proxies have asked for in vain, of which so many are remembered. */
const MAX_IN_VAIN = 20_000
/** Concurrent checks of a sweep, and checks per sweep. Most of a name whose servers do not respond is waiting. */
const SWEEP_WIDTH = 50
const SWEEP_LENGTH = 200

/** Longer than any check: after this time another process repeats the check of one that died. */
const CHECK_LEASE_MS = 60_000

/** Keeps the statuses and the ownership of names up to date with DNS. */
export interface Checks {
  /** Checks the name's DNS now and stores the result. Returns undefined when the name was removed meanwhile. */
  check: (domain: Domain) => Promise<Domain | undefined>
  /**
   * Returns the domain. One that is not active and narrowed, or that someone claims, is checked first unless its check is fresh,
   * or too many wait for checks.
   * @param holder who waits for it; undefined when a proxy asks, which does not say for whom
   */
  checkIfStale: (name: string, holder?: Holder) => Promise<Domain | undefined>
  /** Runs due checks, deletes expired names and claims, and loads the changes of other processes. */
  sweep: () => Promise<void>
}

interface CheckDeps {
  db: Database
  now: () => number
  removalTime: RemovalClock['time']
  dns: DnsCheck
  statuses: StatusCache
}

export function createChecks({ db, now, removalTime, dns, statuses }: CheckDeps): Checks {
  const running = createSharedRuns<Domain | undefined>()
  const checkDomain = createDomainCheck({ db, now, dns, statuses })

  const check = (domain: Domain) => running.share(domain.name, () => checkDomain(domain))

  // After the clock was set back the last check is in the future, and does not count as fresh.
  const isFresh = ({ checkedAt }: Domain) => Math.abs(now() - (checkedAt ?? Number.NEGATIVE_INFINITY)) < FRESH_MS

  /** A request may have read the domain before a check that has ended by now. */
  async function checkUnlessFresh(name: string, unwanted: AbortSignal): Promise<Domain | undefined> {
    const domain = await findDomain(db.read, name)
    return domain === undefined || isFresh(domain) ? domain : checkDomain(domain, unwanted)
  }

  const joinOrCheck = (name: string, unwanted: AbortSignal) =>
    running.has(name) ? running.share(name, async () => undefined) : checkUnlessFresh(name, unwanted)
  const awaitFor = createAwaitFor(createAwaitedChecks(MAX_AWAITING, joinOrCheck))

  async function sweep(): Promise<void> {
    const time = await removalTime()
    await deleteExpiredClaims(db.write, time - CLAIM_MS)
    await db.transaction((transaction) => deleteExpired(transaction, expiryCutoffs(time)))
    await statuses.refresh()
    const due = (await findDue(db.read, now(), SWEEP_LENGTH)).values()
    const worker = async () => {
      for (const domain of due) {
        if (await leaseCheck(db.write, domain, now() + CHECK_LEASE_MS)) await check(domain)
      }
    }
    await Promise.all(Array.from({ length: SWEEP_WIDTH }, worker))
  }

  return {
    check,
    async checkIfStale(name, holder) {
      const domain = await findDomain(db.read, name)
      // Another process may have changed it since the last sweep.
      const served = domain && servedOf(domain)
      if (statuses.statusOf(name) !== served) statuses.set(name, served)
      if (domain === undefined) return undefined
      const isClaimed = async () => (await findLastClaimTime(db.read, name, now() - CLAIM_MS)) !== undefined
      if (domain.status === 'active' && !domain.proofWanted && !(await isClaimed())) return domain
      if (isFresh(domain)) return domain
      return ((await awaitFor(domain, holder)) ?? { checked: domain }).checked
    },
    sweep: shareRun(sweep),
  }
}

/** Does the check for a holder; without one for a proxy, and remembers the names that were not active when it asked. */
function createAwaitFor(awaitCheck: AwaitCheck<Domain | undefined>) {
  const inVain = createBoundedCache<true>(MAX_IN_VAIN)
  return async (domain: Domain, holder?: Holder): ReturnType<typeof awaitCheck> => {
    const { name } = domain
    if (holder !== undefined) return awaitCheck(name, holder)
    const result = await awaitCheck(name, asAsked(domain, inVain.get(name) === true))
    if (result?.checked?.status === 'active') inVain.delete(name)
    else if (result !== undefined) inVain.set(name, true, 1)
    return result
  }
}

/**
 * The asks of proxies are one holder, since visitors of any network may cause them for anybody's names: so they keep nobody else from a
 * check. Each registrable domain has a part of it, and all names that were asked for in vain before have one together, as all names have
 * whose servers did not respond the last time: else some dozens of domains whose servers take their time had all places.
 */
function asAsked({ registrable, fault }: Domain, wasInVain: boolean): Holder {
  const isSilent = fault !== undefined && isTransient(fault)
  const others = wasInVain ? 'in vain' : registrable
  return { allocation: 'asked', network: isSilent ? 'silent' : others, client: registrable }
}
