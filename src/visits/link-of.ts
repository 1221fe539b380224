import { suspensionProblem } from '../links/suspension.ts'
import type { LiveLink } from './live-link.ts'
import type { Resolver } from './resolve.ts'

/**
 * The link of a code, also a paused one, from the cache if possible.
 * @throws {Problem} 410 or 451 for a suspended link
 */
export type LinkOf = (code: string) => Promise<Pick<LiveLink, 'id' | 'code' | 'placements'> | 'gone' | undefined>

export function createLinkOf(resolve: Resolver['resolve']): LinkOf {
  return async (code) => {
    const resolution = await resolve(code)
    if ('live' in resolution) return resolution.live
    if (resolution.state === 'protected') return resolution.locked
    if (resolution.state === 'suspended') throw suspensionProblem(resolution.suspension)
    return resolution.state === 'gone' ? 'gone' : undefined
  }
}
