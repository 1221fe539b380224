import { kinds } from '../../src/links/kinds/index.ts'
import type { Visited } from '../../src/links/visited.ts'
import { type Resolution } from '../../src/visits/resolve.ts'

export const link = (revision: number, active = true): Visited => ({
  id: 1,
  code: 'Code',
  kind: kinds[0].name,
  target: `https://example.com/${revision}`,
  payload: '{}',
  utm: '{}',
  password: null,
  active,
  suspendedBy: null,
  isWarned: false,
  rules: null,
  placements: null,
})

/** The revision of a live link, which its destination contains; otherwise the state. */
export function revisionOf(resolution: Resolution): number | string {
  const outcome = 'live' in resolution ? resolution.live.visit({ platform: 'other' }) : undefined
  return outcome?.type === 'redirect' ? Number(outcome.location.split('/').at(-1)) : resolution.state
}
