import { isIP } from 'node:net'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { registrableOrSame } from '../../lib/registrable.ts'

const DIRECT = 'direct'
const CACHE_BYTES = 1_000_000
/** The memory of an entry beside its two strings. */
const ENTRY_BYTES = 200
/**
 * A scheme and a host with its port, as browsers write them (RFC 9110, section 10.1.3; WHATWG's URL serializer): in
 * ASCII, without a user, escapes or backslashes. A browser sends nothing else.
 */
const origin = /^(https?|android-app):\/\/([\w.:[\]-]{1,261})(?=[/?#]|$)/i
/** Names of at most 253 characters, of labels of at most 63 (RFC 1035, section 2.3.4); some hosts have underscores. */
const isHostName = (host: string) =>
  host.length <= 253 && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host) && !/[^.]{64}/.test(host)
/** https://developer.android.com/build/configure-app-module: two segments or more. */
const packageName = /^(?=.{1,100}$)[a-z0-9_]+(?:\.[a-z0-9_]+)+$/

/** Hosts that only redirect to a site, or are its older names. */
const aliases = new Map([
  ['t.co', 'x.com'],
  ['twitter.com', 'x.com'],
  ['mobile.twitter.com', 'x.com'],
  ['lnkd.in', 'linkedin.com'],
  ['out.reddit.com', 'reddit.com'],
  ['old.reddit.com', 'reddit.com'],
  ['threads.net', 'threads.com'],
  ['youtu.be', 'youtube.com'],
])

/** The sites of Android apps, so that visits from the app and from the site count as one referrer. */
const apps = new Map([
  ['com.google.android.googlequicksearchbox', 'google.com'],
  ['com.google.android.gm', 'mail.google.com'],
  ['com.google.android.youtube', 'youtube.com'],
  ['com.google.android.apps.messaging', 'messages.google.com'],
  ['com.google.android.apps.dynamite', 'chat.google.com'],
  ['com.facebook.katana', 'facebook.com'],
  ['com.facebook.lite', 'facebook.com'],
  ['com.facebook.orca', 'messenger.com'],
  ['com.instagram.android', 'instagram.com'],
  ['com.instagram.barcelona', 'threads.com'],
  ['com.whatsapp', 'whatsapp.com'],
  ['com.whatsapp.w4b', 'whatsapp.com'],
  ['com.twitter.android', 'x.com'],
  ['com.linkedin.android', 'linkedin.com'],
  ['com.pinterest', 'pinterest.com'],
  ['com.reddit.frontpage', 'reddit.com'],
  ['com.zhiliaoapp.musically', 'tiktok.com'],
  ['com.ss.android.ugc.trill', 'tiktok.com'],
  ['com.snapchat.android', 'snapchat.com'],
  ['org.telegram.messenger', 'telegram.org'],
  ['org.telegram.messenger.web', 'telegram.org'],
  ['org.thoughtcrime.securesms', 'signal.org'],
  ['com.tencent.mm', 'weixin.qq.com'],
  ['jp.naver.line.android', 'line.me'],
  ['com.kakao.talk', 'kakao.com'],
  ['com.discord', 'discord.com'],
  ['com.slack', 'slack.com'],
  ['com.microsoft.teams', 'teams.microsoft.com'],
  ['com.microsoft.office.outlook', 'outlook.com'],
  ['com.android.chrome', DIRECT],
])

interface Referrer {
  /** The full host, for the check whether it is the service's own; absent for apps and for referrers that are not shown. */
  host?: string
  referrer: string
}

/**
 * Returns the host of the `Referer`, in lower case and without the prefix of an edition of the site (`www.`, `m.`, and
 * Facebook's redirectors `l.` and `lm.`); `direct` when there is none to show. For `android-app://…`, which apps send, the
 * app's site, else its package name. The result has letters, digits, dots, hyphens and underscores only, at most 253
 * characters. Never throws.
 *
 * Path, query and user are often personal data: nothing stores them, not even the cache.
 *
 * @param isOwnHost whether a host, in lower case and without a port, is the service's own: such visits are direct.
 *   Called each time, because domains change.
 */
export function createReferrerParser(isOwnHost: (host: string) => boolean): (referer: string | undefined) => string {
  const cache = createBoundedCache<Referrer>(CACHE_BYTES)
  return (referer = '') => {
    const [found, scheme = '', authority = ''] = origin.exec(referer) ?? []
    if (found === undefined) return DIRECT
    let known = cache.get(found)
    if (known === undefined) {
      known = scheme.toLowerCase() === 'android-app' ? ofApp(authority) : ofSite(found)
      // Copied, because a slice would retain the whole header, with its path.
      cache.set(Buffer.from(found, 'latin1').toString('latin1'), known, 2 * found.length + ENTRY_BYTES)
    }
    return known.host !== undefined && isOwnHost(known.host) ? DIRECT : known.referrer
  }
}

function ofApp(authority: string): Referrer {
  const name = authority.toLowerCase()
  return { referrer: apps.get(name) ?? (packageName.test(name) ? name : DIRECT) }
}

function ofSite(address: string): Referrer {
  const host = URL.parse(address)?.hostname.replace(/\.$/, '') ?? ''
  // A bare address is a machine in a home or an office, and with it personal data.
  if (isIP(host) !== 0 || !isHostName(host)) return { referrer: DIRECT }
  const site = withoutEdition(host)
  return { host, referrer: aliases.get(site) ?? site }
}

/** Never removes a part of the registrable domain (m.me, l.com), which the public suffix list defines. */
function withoutEdition(host: string): string {
  const registered = registrableOrSame(host)
  let site = host
  for (;;) {
    const shorter = site.replace(/^(?:www|m|l|lm)\./, '')
    if (shorter === site || shorter.length < registered.length) return site
    site = shorter
  }
}
