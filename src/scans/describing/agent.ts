import type { IncomingHttpHeaders } from 'node:http'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { browsers, devices, nameIn, systems, type Agent } from '../../lib/agent-tables.ts'
import { createWithHints } from './client-hints.ts'
import { withoutModel } from './models.ts'
import { isbot } from 'isbot'

/**
 * Parts of browsers' user agents that `isbot` mistakes for a tool's: WeChat's process name, Alipay's screen size, the
 * Sogou browser (Sogou's crawlers all name a spider as well), a gateway for old phones, a developer's extension.
 */
const harmless = /\bProcess\/tools|\bAlipayDefined\([^)]{0,100}\)|\bSogou|\bGoogle WAP Proxy\/|\bFirePHP\//gi
/**
 * Beginnings of agents in a form that `isbot` takes for a tool's: of Facebook's apps, which often have no blank, of phones
 * before Android, which give their maker and model (`SonyEricssonT68/R201A`), and of small browsers.
 */
const plainForm =
  /^(?:\[(?=FBAN\/)|(?:SonyEricsson|Nokia|SAMSUNG|SEC-|SGH-|LGE?[- /]|MOT-|BlackBerry|SIE-|Alcatel|Panasonic|PHILIPS|SAGEM|SHARP-|ZTE|HTC|HUAWEI|SANYO|KDDI-|DoCoMo\/|J-PHONE\/|Vodafone\/|KYOCERA|PANTECH|Micromax|w3m\/|NetSurf\/|nook browser\/|Instagram |Barcelona )[^ ]{0,60})/i
/** In its place: the form of today's browsers. */
const USUAL_FORM = 'Mozilla/5.0 (Mobile) '
/**
 * Programs that `isbot` does not know: Office, which requests an address itself before it opens the browser; what
 * assistants fetch for their users (`Amzn-User/0.1`) and whatever says with whom it is compatible; services that measure
 * pages or take pictures of them; scanners of security; browsers that a program drives.
 */
const programs =
  /\bdart:io\b|^Microsoft Office\/|(?<!cu)bot\d|[a-z]-User\/\d|like Gecko\)?; compatible; |\b(?:ms-office|GTmetrix|Miniature\.io|YLT|DebugBear|Calibreapp|Dotcom-Monitor|Uptime-Kuma|Catchpoint|Checkly|ApiFlash|thum\.io|PagePeeker|Prerender|Rendertron|Sitebulb|Assetnote|Nuclei|Nikto|sqlmap|ffuf|gobuster|feroxbuster|DirBuster|Acunetix|Netsparker|Invicti|Nessus|Qualys|Detectify|Shodan|LeakIX|l9explore|Probely|BitSight|Netcraft|Expanse|ImmuniWeb|SlimerJS|HtmlUnit|jsdom|Puppeteer|Nightmare|WebDriver)\b/i

/** Real user agents have some 100 to 400 characters. */
const MAX_LENGTH = 512
const CACHE_BYTES = 2_000_000
/** The memory of an entry beside its key: the agent, the two map slots and the string's header, rounded up. */
const ENTRY_BYTES = 200

/** @param headers those of the request, among which Client Hints may say more than the user agent */
export type ParseAgent = (userAgent: string | undefined, headers?: IncomingHttpHeaders) => Agent

/**
 * Parses user agents (RFC 9110, section 10.1.5), with a cache.
 *
 * The result never contains text of the user agent: names come from the tables alone, so that whatever a client sends,
 * only those few hundred values can reach the database, a page or a spreadsheet. Only the first 512 characters are
 * parsed. Never throws.
 */
export function createAgentParser(): ParseAgent {
  const readCached = createCachedRead()
  const withHints = createWithHints()
  return (userAgent, headers) => {
    const agent = readCached(userAgent)
    return headers === undefined ? agent : withHints(agent, headers)
  }
}

function createCachedRead(): (userAgent: string | undefined) => Agent {
  const cache = createBoundedCache<Agent>(CACHE_BYTES)
  return (userAgent = '') => {
    // Not cached: this is, or may be, a slice of a longer header, and a slice retains the whole.
    if (userAgent.length >= MAX_LENGTH) return read(userAgent.slice(0, MAX_LENGTH))
    const cached = cache.get(userAgent)
    if (cached !== undefined) return cached
    const agent = read(userAgent)
    cache.set(userAgent, agent, 2 * userAgent.length + ENTRY_BYTES)
    return agent
  }
}

function read(userAgent: string): Agent {
  const rest = withoutModel(userAgent)
  return {
    // Tablets, televisions and watches are told by their model.
    device: nameIn(devices, userAgent),
    os: nameIn(systems, rest),
    browser: nameIn(browsers, rest),
    bot: isBot(rest),
  }
}

/**
 * Whether a program requests pages by itself. Every browser sends a user agent: an empty one is a bot's.
 *
 * @param userAgent without the model of the device
 */
function isBot(userAgent: string): boolean {
  if (userAgent.trim() === '' || programs.test(userAgent)) return true
  return isbot(userAgent.replace(plainForm, USUAL_FORM).replace(harmless, ''))
}
