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

/**
 * Whether a program requests pages by itself. Every browser sends a user agent: an empty one is a bot's.
 *
 * @param userAgent without the model of the device
 */
export function isBot(userAgent: string): boolean {
  if (userAgent.trim() === '' || programs.test(userAgent)) return true
  return isbot(userAgent.replace(plainForm, USUAL_FORM).replace(harmless, ''))
}
