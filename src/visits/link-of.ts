import { suspensionProblem } from '../links/suspension.ts'
import type { Resolver } from './resolve.ts'

/**
 * The link of a code, also a paused one, from memory where it is there.
 * @throws {Problem} 410 or 451 for a removed one
 */
export type LinkOf = (code: string) => Promise<{ id: number; code: string } | 'gone' | undefined>

export function createLinkOf(resolve: Resolver['resolve']): LinkOf {
  return async (code) => {
    const resolution = await resolve(code)
    if ('live' in resolution) return resolution.live
    if (resolution.state === 'removed') throw suspensionProblem(resolution.removed)
    return resolution.state === 'gone' ? 'gone' : undefined
  }
}
