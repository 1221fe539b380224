import type { Visitor } from '../links/kinds/kind.ts'

/** The platform whose app store a visitor uses. Windows phones named both others to be let in. */
export function platformOf(userAgent: string | undefined): Visitor['platform'] {
  if (userAgent === undefined || userAgent.includes('Windows Phone')) return 'other'
  if (/iPhone|iPad|iPod/.test(userAgent)) return 'ios'
  return userAgent.includes('Android') ? 'android' : 'other'
}
