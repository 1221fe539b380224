import { randomBytes } from 'node:crypto'

/** How often a node asks for the salt of the day: the store loses it when it crashes, and another node may store another. */
const REFRESH_MS = 60_000
const RETRY_MS = 1000

/** What the salts need of the rest of the program. */
export interface SaltNeeds {
  /** Resolves to the salt of a UTC day that all nodes share, which is `candidate` if there is none yet. */
  obtain: (day: string, candidate: string) => Promise<string>
  now: () => number
  monotonic: () => number
}

/**
 * The salt of the current UTC day. Without the store, a node keeps the one that it has.
 * @returns a function that returns the salt at once, and asks for the next one in the background
 */
export async function openSalts({ obtain, now, monotonic }: SaltNeeds): Promise<() => string> {
  const dayOf = () => new Date(now()).toISOString().slice(0, 10)
  const newSalt = () => randomBytes(32).toString('hex')
  let day = dayOf()
  let salt = await obtain(day, newSalt())
  let askedAt = monotonic()

  async function refresh(today: string): Promise<void> {
    salt = await obtain(today, today === day ? salt : newSalt())
    day = today
  }

  return () => {
    const today = dayOf()
    if (monotonic() - askedAt >= (today === day ? REFRESH_MS : RETRY_MS)) {
      askedAt = monotonic()
      // The store's own errors are reported where requests need it.
      refresh(today).catch(() => {})
    }
    return salt
  }
}
