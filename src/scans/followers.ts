import type { Totals } from '../links/link.ts'
import type { ChangedLinks } from './fold.ts'

/** Whoever wants to be told of the totals of a link. */
export interface Follower {
  /** Called with the totals as JSON; the same text may come again. */
  tell: (totals: string) => void
  /** Called when the totals cannot be read at present. */
  fail: () => void
}

export interface Followers {
  /** Tells the totals of a link now and after each fold that changed them, until the returned function is called. */
  follow: (linkId: number, follower: Follower) => () => void
  /** To be called after each fold. */
  folded: (changed: ChangedLinks) => void
  count: () => number
}

/** Folds come as often as someone asks for statistics; followers are told of several at once. */
const REST_MS = 1000

/**
 * @param totals reads the totals of a link
 * @param restMs how long followers are left alone after they have been told
 */
export function createFollowers(totals: (linkId: number) => Promise<Totals>, restMs = REST_MS): Followers {
  const byLink = new Map<number, Set<Follower>>()
  const changed = new Set<number>()
  let resting: NodeJS.Timeout | undefined
  let count = 0

  /** Asks once for all who follow a link. */
  async function serve(linkId: number, ...only: Follower[]): Promise<void> {
    const all = () => (only.length > 0 ? only : (byLink.get(linkId) ?? []))
    try {
      const text = JSON.stringify(await totals(linkId))
      for (const follower of all()) follower.tell(text)
    } catch {
      for (const follower of all()) follower.fail()
    }
  }

  function serveChanged(): void {
    if (resting !== undefined || changed.size === 0) return
    for (const linkId of changed) void serve(linkId)
    changed.clear()
    resting = setTimeout(() => {
      resting = undefined
      serveChanged()
    }, restMs).unref()
  }

  return {
    follow(linkId, follower) {
      const same = byLink.get(linkId) ?? new Set()
      byLink.set(linkId, same.add(follower))
      count++
      void serve(linkId, follower)
      return () => {
        if (!same.delete(follower)) return
        count--
        if (same.size === 0) byLink.delete(linkId)
      }
    },
    folded(links) {
      for (const linkId of links ?? byLink.keys()) if (byLink.has(linkId)) changed.add(linkId)
      serveChanged()
    },
    count: () => count,
  }
}
