import { trimInvisible } from '../lib/invisible.ts'
import { withScheme } from '../lib/with-scheme.ts'

/**
 * What a poster says above the code of a link: what its owner calls it, whom or what it is about, or the host that it leads
 * to; empty when nothing is known.
 * @param field the value of a field of the link
 */
export function posterTitle(field: (name: string) => string): string {
  const text = (name: string) => field(name).trim()
  const name = text('headline') || `${text('firstName')} ${text('lastName')}`.trim() || text('org')
  const address = ['target', 'fallback', 'ios', 'android'].map(text).find(Boolean) ?? ''
  return text('title') || name || (URL.parse(trimInvisible(withScheme(address)).text)?.host.replace(/^www\./, '') ?? '')
}
