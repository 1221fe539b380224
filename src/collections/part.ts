import { invalidRequest, REASON } from '../http/problem.ts'
import type { MemberConditions } from './listing-store.ts'
import type { Collections } from './open.ts'

/** A part of the links of a collection, in the order of their creation. */
export interface Part {
  collectionId: string
  /** From 1. */
  part: number
  /** Links of each part but the last. */
  size: number
}

/** How the links before a part are read. */
interface PartReading extends Pick<Collections, 'membersAfter'> {
  /** Waits until the next links may be read: the event loop waits for each statement. */
  turn: () => Promise<void>
}

/** Where a part begins: after the link of this id. @throws {Problem} 400 with the last part, when there are fewer */
export async function startOfPart(
  { membersAfter, turn }: PartReading,
  { collectionId, part, size }: Part,
  conditions: MemberConditions,
): Promise<number> {
  let after = 0
  for (let before = 1; before < part; before++) {
    await turn()
    const keys = await membersAfter({ collectionId, after, limit: size }, conditions)
    const last = keys.at(-1)
    if (last === undefined) throw beyond(before - 1)
    if (keys.length < size) throw beyond(before)
    after = last.id
  }
  return after
}

/** @param last the number of parts */
export function beyond(last: number) {
  const detail = `must be at most ${Math.max(1, last)}: there are no further links`
  return invalidRequest([{ pointer: '/part', detail, [REASON]: { name: 'no_links' } }])
}
