import type { IncomingMessage } from 'node:http'
import type { Viewer, Visitor } from '../links/kinds/kind.ts'
import type { Scans } from '../scans/open.ts'

/** Returns who makes a visit. */
export type VisitorOf = (request: IncomingMessage) => Visitor & Pick<Viewer, 'browser'>

export function createVisitorOf(agentOf: Scans['agentOf']): VisitorOf {
  return (request) => ({
    // Only pages and choices of stores ask for them.
    get browser() {
      return agentOf(request).browser
    },
    get platform() {
      return platformOf(agentOf(request).os, request.headers['user-agent'])
    },
  })
}

/** The platform whose app store a visitor uses, by the system that a scan records as well. */
function platformOf(os: string | null, userAgent: string | undefined): Visitor['platform'] {
  switch (os) {
    case 'iOS':
    case 'iPadOS':
      return 'ios'
    case 'Android':
      return 'android'
    // Until version 4, HarmonyOS runs apps of Android and says so; since version 5, it does neither.
    case 'HarmonyOS':
      return userAgent?.includes('Android') === true ? 'android' : 'other'
    default:
      return 'other'
  }
}
