import ipaddr from 'ipaddr.js'
import { html, type Html } from '../http/html.ts'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { reservedEndings } from '../lib/reserved-endings.ts'

/** Where an origin can be reached from, judged by its host alone. */
export function reachabilityOf(origin: string): 'machine' | 'network' | 'public' {
  const host = new URL(origin).hostname.replace(/\.$/, '')
  if (isLoopback(host) || isUnspecified(host)) return 'machine'
  const address = host.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address)) return isPublicAddress(ipaddr.process(address)) ? 'public' : 'network'
  return host.includes('.') && !reservedEndings.has(host.slice(host.lastIndexOf('.') + 1)) ? 'public' : 'network'
}

const reachedFrom = { machine: 'from the computer that runs this service', network: 'from the local network' }

/** Warns the client before anything is printed that visitors cannot reach the service; undefined when they can. */
export function reachabilityWarning(origin: string): Html | undefined {
  const reachability = reachabilityOf(origin)
  if (reachability === 'public') return undefined
  return html`<p class="note alarm" role="note">
    <strong>Do not print these codes yet.</strong> They contain the address ${origin}, which works only
    ${reachedFrom[reachability]}. The operator of this service can fix this by setting <code>BASE_URL</code> to its
    public address.
  </p>`
}
