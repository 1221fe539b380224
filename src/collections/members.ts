import type { Turns } from '../lib/turns.ts'
import type { MemberConditions, MemberKey, MemberPart } from './listing-store.ts'

/** Links of one statement, for which the event loop waits. */
const PAGE = 500

/** Which links are read, and how. */
export interface MembersReading {
  collectionId: string
  conditions: MemberConditions
  /** Waits until the next part may be read. */
  turn: () => Promise<void>
}

type ReadAfter<T> = (part: Omit<MemberPart, 'now'>, conditions: MemberConditions) => Promise<T[]>

/** The links of collections, for what is counted of them. */
export interface Members {
  /** The ids of the next links of a collection that meet the conditions, ascending. */
  idsAfter: ReadAfter<number>
  /**
   * Gathers something from the names of all links of a collection, which take up to 16 MB, when the turn of the client comes.
   * @throws what the signal of the waiter aborts with
   */
  gather: Turns['run']
  /** The next links of a collection that meet the conditions, in the order of their ids. */
  membersAfter: ReadAfter<MemberKey>
}

/** A link with its place among those that are counted. */
export interface PlacedMember {
  member: MemberKey
  at: number
}

/**
 * The ids of all links of a collection, ascending. Whatever has to wait for its turn keeps these only: the titles and campaigns of
 * 10,000 links take 16 MB.
 */
export async function readIds(
  idsAfter: ReadAfter<number>,
  { collectionId, conditions, turn }: MembersReading,
): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    await turn()
    const page = await idsAfter({ collectionId, after: ids.at(-1) ?? 0, limit: PAGE }, conditions)
    ids.push(...page)
    if (page.length < PAGE) return ids
  }
}

/** The links of a collection whose ids were read before, a part at a time. */
export async function* readAgain(
  membersAfter: ReadAfter<MemberKey>,
  ids: readonly number[],
  { collectionId, conditions, turn }: MembersReading,
): AsyncGenerator<PlacedMember[]> {
  const last = ids.at(-1) ?? 0
  let at = 0
  for (let after = 0; after < last;) {
    await turn()
    const page = await membersAfter({ collectionId, after, limit: PAGE }, conditions)
    yield page.flatMap((member) => {
      while ((ids[at] ?? Infinity) < member.id) at++
      // One that has joined meanwhile was not counted.
      return ids[at] === member.id ? [{ member, at }] : []
    })
    if (page.length < PAGE) return
    after = page.at(-1)?.id ?? last
  }
}
