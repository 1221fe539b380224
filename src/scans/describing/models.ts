// Makers name phones and carriers as they like: `Spider 8`, `A512 Harmony Pro`, `S60`, `T-Mobile`. What an agent is, is
// said by its other parts.

/** Comments in which agents name a model: those of Android and of its kin, and the nameless ones of Firefox OS and UC Browser. */
const modelled = /Android|Adr |Tizen|KAIOS|Windows Phone|^Mobile; |^Linux; U; \d/
/** A comment in which a program says what it is. */
const declared = /https?:|\bwww\.|@|\bcompatible\b|bot\/\d/i
/** The parts of such comments that name no model: systems, forms, and products with a version. */
const known: readonly RegExp[] = [
  /^(?:Android|Adr|OpenHarmony)(?: |-|\/)?\d/,
  /^Android(?: (?:TV|Go|Donut|Eclair|Froyo))?$/,
  /^(?:Linux|Maemo|Jolla|Sailfish|Ubuntu|Tizen|Windows Phone (?:OS |\d)|Opera|KAIOS|rv:)/,
  /^(?:HarmonyOS|U|X11|wv|Mobile|Tablet|Phone|Windows Phone|SMART-TV)$/,
  /^[\w-]+\/[\d.]+$/,
]
/** The fields of Facebook's apps that name the app and the system, among those of model, maker, carrier and language. */
const facebookFields = /^\[?FB(?:AN|AV|_IAB|PN|SN|MD|ID)\//

/** What Chrome sends instead of a model. */
const NO_MODEL = 'K'

/** The user agent without the names of the device's model and maker and of its carrier. */
export function withoutModel(userAgent: string): string {
  let rest = ''
  let copied = 0
  let open = userAgent.indexOf('(')
  while (open !== -1) {
    const end = endOfComment(userAgent, open)
    const comment = userAgent.slice(open + 1, end)
    // Instagram: `Android (34/14; 450dpi; 1080x2115; samsung; SM-S918B; dm3q; qcom; de_DE; 621984093)`.
    const isOfApp = userAgent.endsWith(' Android ', open)
    if (isOfApp || modelled.test(comment)) {
      rest += userAgent.slice(copied, open + 1) + (isOfApp ? NO_MODEL : withoutModelIn(comment))
      copied = end
    }
    open = userAgent.indexOf('(', end)
  }
  return withoutFields(rest + userAgent.slice(copied))
}

/** The parenthesis after which the next product begins: `) AppleWebKit/537.36`. */
const beforeProduct = /\) [\w.-]+\//

/**
 * Where a comment (RFC 9110, section 5.6.5: it may nest) is closed; an unbalanced one before the next product, or at the last
 * parenthesis.
 */
function endOfComment(userAgent: string, open: number): number {
  const first = userAgent.indexOf(')', open)
  if (first === -1) return userAgent.length
  const nested = userAgent.indexOf('(', open + 1)
  if (nested === -1 || nested > first) return first
  let depth = 1
  for (let at = open + 1; at < userAgent.length; at++) {
    const letter = userAgent[at]
    if (letter === '(') depth++
    else if (letter === ')' && --depth === 0) return at
  }
  const product = userAgent.slice(first).search(beforeProduct)
  return product === -1 ? userAgent.lastIndexOf(')') : first + product
}

function withoutModelIn(comment: string): string {
  if (declared.test(comment)) return comment
  return partsOf(comment, known).join('; ') || NO_MODEL
}

/** Takes the fields of Facebook's apps out: `[FBAN/FB4A;FBAV/567.1;…;FBCR/T-Mobile;…;FBDV/SM-S921B;…]`. */
function withoutFields(userAgent: string): string {
  const open = userAgent.indexOf('[FB')
  if (open === -1) return userAgent
  const close = userAgent.lastIndexOf(']')
  const end = close > open ? close : userAgent.length
  return (
    userAgent.slice(0, open) + partsOf(userAgent.slice(open, end), [facebookFields]).join('; ') + userAgent.slice(end)
  )
}

function partsOf(list: string, kept: readonly RegExp[]): string[] {
  return list
    .split(';')
    .map((part) => part.trim())
    .filter((part) => kept.some((pattern) => pattern.test(part)))
}
