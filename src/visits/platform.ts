import type { Visitor } from '../links/kinds/kind.ts'

/** The platform whose app store a visitor uses. Windows phones name both other platforms as well. */
export function platformOf(userAgent: string | undefined): Visitor['platform'] {
  if (userAgent === undefined || userAgent.includes('Windows Phone')) return 'other'
  if (/iPhone|iPad|iPod/.test(userAgent)) return 'ios'
  return userAgent.includes('Android') ? 'android' : 'other'
}
