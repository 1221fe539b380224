import ipaddr from 'ipaddr.js'
import { html, type Html } from '../http/html.ts'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { reservedEndings } from '../lib/reserved-endings.ts'

/** From where an origin can be reached, as far as its host tells. */
export function reachOf(origin: string): 'machine' | 'network' | 'everywhere' {
  const host = new URL(origin).hostname.replace(/\.$/, '')
  if (isLoopback(host) || isUnspecified(host)) return 'machine'
  const address = host.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address)) return isPublicAddress(ipaddr.process(address)) ? 'everywhere' : 'network'
  return host.includes('.') && !reservedEndings.has(host.slice(host.lastIndexOf('.') + 1)) ? 'everywhere' : 'network'
}

const places = { machine: 'the computer that runs this service', network: "this service's own network" }

/** Says that printed codes would lead nowhere, before anything is printed; nothing when they lead here from everywhere. */
export function reachWarning(origin: string): Html | undefined {
  const reach = reachOf(origin)
  if (reach === 'everywhere') return undefined
  return html`<p class="note alarm" role="note">
    <strong>Not for print yet.</strong> Codes hold the address ${origin}, which only ${places[reach]} reaches: elsewhere
    they lead nowhere. Whoever runs the service mends that by setting <code>BASE_URL</code> to its public address.
  </p>`
}
