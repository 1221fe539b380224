import { createSharedRuns } from '../lib/share-runs.ts'
import { isAhead } from './back-off.ts'
import { findCertificate, type StoredCertificate } from './certificate-store.ts'
import { IssuanceError, Postponed } from './issuance-error.ts'
import { createLine, sleepUnless, type LineDeps, type Stop } from './issuance-line.ts'
import { countQueuedOf, enqueue, findIssuance } from './issuance-store.ts'

/** Names that are looked up and queued at the same time. */
const MAX_ADDS = 8

/** Names of one client that wait at the same time. */
const MAX_OF_CLIENT = 100

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
   * Queues a name, unless it has to be put right first, or too many wait that the client has visited.
   * @param client a digest of who visits it
   * @throws {IssuanceError}
   */
  add: (name: string, client?: string) => Promise<void>
  /** Queues a name, and waits for its certificate while that may come soon. @throws {IssuanceError} */
  obtain: (name: string, client?: string) => Promise<StoredCertificate>
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
    async obtain(name, client) {
      await add(name, client)
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
function createAdd({ db, now, registrableOf }: LineDeps, onAdded: () => void): IssuanceQueue['add'] {
  const adds = createSharedRuns<void>(MAX_ADDS)
  return (name, client) => {
    const visitedAt = now()
    return adds.share(name, async () => {
      const found = await findIssuance(db.read, name)
      const { retryAt = 0, fault, queuedAt } = found ?? {}
      if (isAhead(retryAt, now())) throw new IssuanceError(`no certificate for ${name}: ${fault}`)
      const isOthers = client !== undefined && client !== found?.client
      if (queuedAt === undefined && client !== undefined && (await countQueuedOf(db.read, client)) >= MAX_OF_CLIENT)
        throw new IssuanceError(
          `no certificate for ${name} yet: ${MAX_OF_CLIENT} names wait that this client has visited`,
        )
      if (queuedAt === undefined || isOthers)
        await enqueue(db.write, name, visitedAt, { registrable: registrableOf(name), client: client ?? null })
      onAdded()
    })
  }
}

/** A visit may wait for the next place among the orders of some seconds. */
function throwUnlessSoon(error: unknown, now: number): undefined {
  if (!(error instanceof Postponed) || error.until - now > SOON_MS) throw error
}

/** What another process has done about a name. @throws {IssuanceError} when it does not wait any more */
async function lookFor({ db, now }: LineDeps, name: string): Promise<StoredCertificate | undefined> {
  // In this order: a name leaves the queue after its certificate was stored.
  const { retryAt = 0, fault, queuedAt } = (await findIssuance(db.read, name)) ?? {}
  const stored = await findCertificate(db.read, name)
  if (stored !== undefined && stored.notAfter > now()) return stored
  if (queuedAt !== undefined && !isAhead(retryAt, now())) return undefined
  throw new IssuanceError(`no certificate for ${name}: ${fault}`)
}
