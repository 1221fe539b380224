import type { IncomingMessage } from 'node:http'
import type { Viewer, Visitor } from '../links/kinds/kind.ts'
import type { Scans } from '../scans/open.ts'

/** Returns who makes a visit. */
export type VisitorOf = (request: IncomingMessage) => Visitor & Pick<Viewer, 'browser'>

/**
 * Asks for the agent when it is needed: only pages and choices of stores need it. A class, because getters of a literal
 * have a hidden class of their own in each visit, which fills the old generation.
 */
class RequestVisitor {
  readonly #agentOf: Scans['agentOf']
  readonly #request: IncomingMessage

  constructor(agentOf: Scans['agentOf'], request: IncomingMessage) {
    this.#agentOf = agentOf
    this.#request = request
  }

  get browser(): Viewer['browser'] {
    return this.#agentOf(this.#request).browser
  }

  get platform(): Visitor['platform'] {
    return platformOf(this.#agentOf(this.#request).os, this.#request.headers['user-agent'])
  }
}

export function createVisitorOf(agentOf: Scans['agentOf']): VisitorOf {
  return (request) => new RequestVisitor(agentOf, request)
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
