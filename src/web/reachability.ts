import ipaddr from 'ipaddr.js'
import { html, type Html } from '../http/html.ts'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { reservedEndings } from '../lib/private-name.ts'
import { homeTexts } from '../texts/home.ts'
import type { Language } from '../texts/language.ts'

/** Where an origin can be reached from, judged by its host alone. */
export function reachabilityOf(origin: string): 'machine' | 'network' | 'public' {
  const host = new URL(origin).hostname.replace(/\.$/, '')
  if (isLoopback(host) || isUnspecified(host)) return 'machine'
  const address = host.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address)) return isPublicAddress(ipaddr.process(address)) ? 'public' : 'network'
  return host.includes('.') && !reservedEndings.has(host.slice(host.lastIndexOf('.') + 1)) ? 'public' : 'network'
}

/** Warns the client before anything is printed that visitors cannot reach the service; undefined when they can. */
export function reachabilityWarning(origin: string, language: Language = 'en'): Html | undefined {
  const reachability = reachabilityOf(origin)
  if (reachability === 'public') return undefined
  const { heading, reason, remedy } = homeTexts[language].reachability
  return html`<p class="note warning" role="note">
    <strong>${heading[reachability]}</strong> ${reason(origin)} ${remedy} <code>BASE_URL</code>.
  </p>`
}
