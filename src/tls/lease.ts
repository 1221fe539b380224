import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { holdName, releaseName, type Issuance } from './store.ts'

/** A process holds a name for so long and says again that it does; when it dies, another takes over after this time. */
const HOLD_MS = 10_000
const HEARTBEAT_MS = 3000

/** A name that this process alone, of all on the store, works on. */
export interface Lease {
  /** Aborted when the name was lost: the store was away for too long. */
  lost: AbortSignal
  /** Gives the name back, with what came of the work. */
  release: (outcome: Issuance) => Promise<void>
  /** To be called in any case: from now on the name is not held any longer than it was. */
  end: () => void
}

/** @returns takes a name; undefined while another process holds it */
export function createLeases(db: Database, now: () => number): (name: string) => Promise<Lease | undefined> {
  const holder = randomUUID()
  const hold = (name: string) => holdName(db.write, name, holder, { now: now(), until: now() + HOLD_MS })
  return async (name) => {
    if (!(await hold(name))) return undefined
    const lost = new AbortController()
    const heartbeat = setInterval(() => {
      hold(name).then(
        (isHeld) => isHeld || lost.abort(),
        () => lost.abort(),
      )
    }, HEARTBEAT_MS)
    return {
      lost: lost.signal,
      release: (outcome) => releaseName(db.write, name, holder, outcome),
      end: () => clearInterval(heartbeat),
    }
  }
}
