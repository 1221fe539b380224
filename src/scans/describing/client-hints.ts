import type { IncomingHttpHeaders } from 'node:http'
import { devices, nameIn, type Agent, type Device } from '../../lib/agent-tables.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'

// Chromium sends three hints (UA Client Hints, `Sec-CH-UA`, `-Mobile` and `-Platform`) with each request by HTTPS, and
// more where a proxy asks for them. quirl asks for none. What they say is used where the user agent says less: it claims
// Linux on a tablet that requests desktop sites, and Chrome where Brave wants to be unrecognised by pages.

/** Real hints have some 100 characters. */
const MAX_LENGTH = 512

const systems = new Map([
  ['"Android"', 'Android'],
  ['"iOS"', 'iOS'],
  ['"Chrome OS"', 'ChromeOS'],
  ['"Chromium OS"', 'ChromeOS'],
  ['"Fuchsia"', 'Fuchsia'],
  ['"Windows"', 'Windows'],
  ['"macOS"', 'macOS'],
  ['"Linux"', 'Linux'],
])
/** What browsers claim to run on when they request desktop sites. A console, a television or HarmonyOS is more exact than a hint. */
const claimed = new Set<string | null>([null, 'Linux', 'macOS', 'Windows'])

const browsers = new Map([
  ['Brave', 'Brave'],
  ['Microsoft Edge', 'Edge'],
  ['Opera', 'Opera'],
  ['Opera GX', 'Opera'],
  ['Opera Mini', 'Opera Mini'],
  ['OperaMobile', 'Opera'],
  ['Vivaldi', 'Vivaldi'],
  ['YaBrowser', 'Yandex Browser'],
  ['Yandex', 'Yandex Browser'],
  ['Samsung Internet', 'Samsung Internet'],
  ['DuckDuckGo', 'DuckDuckGo'],
  ['Whale', 'Whale'],
  ['CocCoc', 'Coc Coc'],
  ['Avast Secure Browser', 'Avast Secure Browser'],
  ['AVG Secure Browser', 'AVG Secure Browser'],
  ['HuaweiBrowser', 'Huawei Browser'],
  ['Oculus Browser', 'Meta Quest Browser'],
  ['Android WebView', 'Android WebView'],
  ['Google Chrome', 'Chrome'],
])
const brand = /"([A-Z][A-Za-z ]{1,30})";/g

const forms: readonly [form: string, device: Device][] = [
  ['"Automotive"', 'other'],
  ['"XR"', 'wearable'],
  ['"Watch"', 'wearable'],
  ['"Tablet"', 'tablet'],
  ['"Mobile"', 'mobile'],
]

/** What a value of `Sec-CH-UA` says. */
interface Brands {
  readonly browser: string | null
  /** Whether a program drives the browser, whatever its user agent. */
  readonly bot: boolean
}
const noBrands: Brands = { browser: null, bot: false }
const CACHE_BYTES = 100_000
const ENTRY_BYTES = 200

/** Returns the agent with what the hints of its request say more exactly. */
export function createWithHints(): (agent: Agent, headers: IncomingHttpHeaders) => Agent {
  const cache = createBoundedCache<Brands>(CACHE_BYTES)
  const readCached = (value: string) => {
    const cached = cache.get(value)
    if (cached !== undefined) return cached
    const brands = readBrands(value)
    cache.set(value, brands, 2 * value.length + ENTRY_BYTES)
    return brands
  }
  return (agent, headers) => {
    const value = hint(headers, 'sec-ch-ua')
    const platform = hint(headers, 'sec-ch-ua-platform')
    // Safari and Firefox send none.
    if (value === undefined && platform === undefined) return agent
    const brands = value === undefined ? noBrands : readCached(value)
    const os = osBy(agent, platform)
    const device = deviceBy(agent, os, headers)
    const browser =
      agent.browser === null || agent.browser === 'Chrome' ? (brands.browser ?? agent.browser) : agent.browser
    const bot = agent.bot || brands.bot
    const isSame = os === agent.os && device === agent.device && browser === agent.browser && bot === agent.bot
    return isSame ? agent : { device, os, browser, bot }
  }
}

function hint(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value.length <= MAX_LENGTH ? value : undefined
}

function osBy({ os }: Agent, platform: string | undefined): string | null {
  if (platform === undefined || !claimed.has(os)) return os
  return systems.get(platform) ?? os
}

/** What hints may change: a television is more exact than any of them. */
const general = new Set<Device | null>([null, 'desktop', 'mobile', 'tablet'])

function deviceBy({ device }: Agent, os: string | null, headers: IncomingHttpHeaders): Device | null {
  if (!general.has(device)) return device
  const named = namedDevice(headers)
  if (named !== null || device === 'mobile' || device === 'tablet') return named ?? device
  if (headers['sec-ch-ua-mobile'] === '?1') return 'mobile'
  return os === 'Android' ? 'tablet' : device
}

/** The device by the hints that are sent on request only. */
function namedDevice(headers: IncomingHttpHeaders): Device | null {
  const model = hint(headers, 'sec-ch-ua-model')
  const byModel = model === undefined ? null : nameIn(devices, model)
  if (byModel !== null) return byModel
  const form = hint(headers, 'sec-ch-ua-form-factors')
  return forms.find(([name]) => form?.includes(name))?.[1] ?? null
}

/** Brands of Chromium in random order, one of them without meaning: `"Not;A=Brand";v="8", "Chromium";v="150", "Brave";v="150"`. */
function readBrands(value: string): Brands {
  const names = Array.from(value.matchAll(brand), ([, name = '']) => name)
  const known = names.find((name) => browsers.has(name))
  return { browser: known === undefined ? null : (browsers.get(known) ?? null), bot: names.includes('HeadlessChrome') }
}
