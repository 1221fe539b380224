import { createSharedRuns } from '../lib/share-runs.ts'
import { isAhead } from './back-off.ts'
import { findCertificate, type StoredCertificate } from './certificate-store.ts'
import { IssuanceError, Postponed } from './issuance-error.ts'
import { createLine, sleepUnless, type LineDeps, type Stop } from './issuance-line.ts'
import { countOrders, countQueuedOf, enqueue, findIssuance, TOTAL_MS } from './issuance-store.ts'
import { findWeekFault } from './week.ts'

/** Names that are looked up and queued at the same time. */
const MAX_ADDS = 8

/** Names that wait at the same time and count for one network. */
const MAX_OF_NETWORK = 100

/** How long a visit waits for its name's turn, and for how long a stop of the queue lets it wait on. */
const PATIENCE_MS = 30_000
const SOON_MS = 15_000

/** How often a visit looks whether another process has ordered its name. */
const POLL_MS = 1000

/**
 * The names that wait for their first certificate: those in turn of whom fewest were ordered, and of these in the order of their
 * first visits. All processes on the store share the
 * queue, and each goes on with it; a lease on each name lets one of them order it. A name leaves it with its certificate, or
 * when it has to be put right itself; then it comes back with a visit. One that the authority has failed goes to its end.
 */
export interface IssuanceQueue {
  /**
   * Queues a name, unless it has to be put right first, or too many wait that count for the network. Of the networks that visit
   * it, it counts for one with fewest names: so no stranger makes the names of others count for himself.
   * @param network a digest of that from which it is visited
   * @throws {IssuanceError}
   */
  add: (name: string, network?: string) => Promise<void>
  /** Queues a name, and waits for its certificate while that may come soon. @throws {IssuanceError} */
  obtain: (name: string, network?: string) => Promise<StoredCertificate>
  /** Goes on with what is due, also with what other processes have queued. */
  resume: () => void
  /** Why nothing is ordered for now. */
  stop: () => Stop | undefined
  close: () => Promise<void>
}

export function createIssuanceQueue(deps: LineDeps): IssuanceQueue {
  const { now, monotonic } = deps
  const closing = new AbortController()
  const line = createLine(deps, closing.signal)
  const add = createAdd(deps, line.resume)

  return {
    add,
    async obtain(name, network) {
      await add(name, network)
      const begunAt = monotonic()
      for (let lookedAt = begunAt; monotonic() - begunAt < PATIENCE_MS;) {
        const issued = await line.attemptOf(name)?.catch((error: unknown) => throwUnlessSoon(error, now()))
        if (issued !== undefined) return issued
        const stop = line.stop()
        if (stop !== undefined) throwUnlessSoon(new Postponed(name, stop), now())
        await sleepUnless(deps, line.changed(), POLL_MS, closing.signal)
        if (monotonic() - lookedAt < POLL_MS) continue
        lookedAt = monotonic()
        const found = await lookFor(deps, name)
        if (found !== undefined) return found
      }
      throw new IssuanceError(`no certificate for ${name} yet: others are ordered before`)
    },
    resume: line.resume,
    stop: line.stop,
    async close() {
      closing.abort()
      await line.ended()
    },
  }
}

/** @param onAdded called with each name that waits */
function createAdd(deps: LineDeps, onAdded: () => void): IssuanceQueue['add'] {
  const { db, now, registrableOf } = deps
  const adds = createSharedRuns<void>(MAX_ADDS)
  /** How many names count for a network: those that wait, and those that were ordered lately. */
  const loadOf = async (network: string) =>
    (await countQueuedOf(db.read, network)) + (await countOrders(db.read, now() - TOTAL_MS, network))
  const isBetter = async (network: string | undefined, present: string | null) =>
    network !== undefined &&
    network !== present &&
    (present === null || (await loadOf(network)) < (await loadOf(present)))
  /** Why a name that does not wait is not queued. */
  const refusalOf = async (name: string, network: string | undefined) => {
    const fault = await findWeekFault(deps, name)
    if (fault !== undefined) return `: ${fault}`
    if (network === undefined || (await countQueuedOf(db.read, network)) < MAX_OF_NETWORK) return undefined
    return ` yet: ${MAX_OF_NETWORK} names wait that were visited from this network`
  }

  return (name, network) => {
    const visitedAt = now()
    return adds.share(name, async () => {
      const found = await findIssuance(db.read, name)
      const { retryAt = 0, fault, queuedAt } = found ?? {}
      if (isAhead(retryAt, now())) throw new IssuanceError(`no certificate for ${name}: ${fault}`)
      const isNew = queuedAt === undefined
      const refusal = isNew ? await refusalOf(name, network) : undefined
      if (refusal !== undefined) throw new IssuanceError(`no certificate for ${name}${refusal}`)
      if (isNew || (await isBetter(network, found?.client ?? null)))
        await enqueue(db.write, name, visitedAt, { registrable: registrableOf(name), client: network ?? null })
      onAdded()
    })
  }
}

/** A visit may wait for the next place among the orders of some seconds. */
function throwUnlessSoon(error: unknown, now: number): undefined {
  if (!(error instanceof Postponed) || error.until - now > SOON_MS) throw error
}

/** What another process has done about a name. @throws {IssuanceError} when it does not wait any more */
async function lookFor(deps: LineDeps, name: string): Promise<StoredCertificate | undefined> {
  const { db, now } = deps
  // In this order: a name leaves the queue after its certificate was stored.
  const { retryAt = 0, fault, queuedAt } = (await findIssuance(db.read, name)) ?? {}
  const stored = await findCertificate(db.read, name)
  if (stored !== undefined && stored.notAfter > now()) return stored
  const isPutOff = isAhead(retryAt, now())
  if (queuedAt !== undefined && !isPutOff) return undefined
  const why = isPutOff ? fault : ((await findWeekFault(deps, name)) ?? fault)
  throw new IssuanceError(`no certificate for ${name}: ${why ?? 'it has left the queue'}`)
}
