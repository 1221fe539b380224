import { yieldEvery } from '../lib/yield-every.ts'
import type { Problem } from '../http/problem.ts'
import type { LinkDeps } from './deps.ts'
import { blockedIn } from './draft.ts'
import type { Content } from './link.ts'

/** How long visits may wait while links are screened again, in milliseconds: each can hold 100 URLs. */
const SLICE_MS = 5

/**
 * Why a link may not be stored after all: lists or rulings have changed since it was screened, and now have one of its URLs. Undefined
 * when it may.
 */
export type ScreenAgain = (content: Content) => Problem | undefined

/**
 * To be called before links are screened, and the returned function in the transaction that stores them. What comes between may take
 * as long as a stranger likes (a design, a password, others with the same `Idempotency-Key`), and the links that were stored
 * when a list changed have been screened again by then.
 */
export function noteScreening({ screen, screenedBy }: Pick<LinkDeps, 'screen' | 'screenedBy'>): ScreenAgain {
  const before = screenedBy()
  return (content) => (screenedBy() === before ? undefined : blockedIn(content, screen))
}

/** The same of many links; a problem stays one. */
export async function screenRowsAgain<T extends Content>(
  rows: readonly (T | Problem)[],
  screenAgain: ScreenAgain,
): Promise<(T | Problem)[]> {
  const pause = yieldEvery(SLICE_MS)
  const screened: (T | Problem)[] = []
  for (const row of rows) {
    screened.push('utm' in row ? (screenAgain(row) ?? row) : row)
    await pause()
  }
  return screened
}
