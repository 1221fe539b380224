import type { FastifyReply } from 'fastify'
import { stylesheets, type StylesheetName } from '../styles/stylesheets.ts'
import { languages, type Language } from '../texts/language.ts'
import { html, type Html } from './html.ts'
import { addressIn, chosenLanguage, hasLanguage, isPlain, keepLanguage, type Asked } from './page-address.ts'
import { languageSwitch, scriptFailure, siteFooter, siteHeader, type Section } from './shell.ts'

/** A page of this service. */
export interface Page {
  title: string
  /** What search engines and previews of shared addresses show. */
  description?: string
  body: Html
  /** What its footer has besides the switch of the language, when it is not a page of the site. */
  footer?: Html
  /** Further elements of its head. */
  head?: Html
  /** What it is styled by besides the stylesheet of all pages. */
  styles?: StylesheetName[]
  /** The paths of its module scripts; the page may then send requests to this service. */
  scripts?: string[]
  /** When it is a page of the site, which has a header and a footer: which of the header's links leads to it, if any.
   * Guests, who were only shown this page, get no links to the others. */
  site?: { language: Language; section?: Section; isForGuests?: boolean }
  /** The language of its texts: by default that of the site's page, or `en`. */
  lang?: string
  /** Whether it shows what the owner of a link wrote, whose language is unknown: its title is such a text. */
  isOwners?: boolean
  /** Whether `lang` is written from right to left. */
  isRightToLeft?: boolean
  /** When search engines may list it: the origin of its address. */
  publicAt?: string
  /** Whether it shows drawings of the server as elements, in which pictures are data. */
  hasDrawings?: boolean
  /** Whether its form is answered with a redirect to another site, which browsers treat as a target of the form. */
  leadsAway?: boolean
}

/**
 * Pages run and load nothing inline and nothing of other origins, and send forms to this service only. No page may be
 * framed, which would allow clickjacking of a token page. Tools that audit a page read /robots.txt on its behalf
 * (`connect-src`); nothing else can connect on a page without scripts.
 */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'"
/** A page with a script may also show images that the script draws. */
const scriptPolicy = `${policy.replace("img-src 'self'", "img-src 'self' blob:")}; script-src 'self'`

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * Sends a page. A status or headers that the caller has set on the reply remain. When its address names a language, the pages
 * of the service that it leads to have that language, too.
 */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const { request } = reply
  const chosen = chosenLanguage(request)
  const document = documentOf(page, request)
  reply.header('content-security-policy', policyOf(page))
  if (!page.isOwners) reply.header('content-language', languageOf(page))
  return reply.headers(pageHeaders).send((chosen ? keepLanguage(document, chosen) : document).markup)
}

/** Redirects to a page after a form, in the language that the form was in. */
export function redirectToPage(reply: FastifyReply, address: string): FastifyReply {
  return reply.redirect(addressIn(chosenLanguage(reply.request), address), 303)
}

/** What a page needs to know of the request that it answers. */
type Request = Asked & { method: string }

function documentOf(page: Page, request: Request): Html {
  return html`<!doctype html>
    <html ${attributesOf(page)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${page.isOwners ? html`<title lang="">${page.title}</title>` : html`<title>${page.title}</title>`}
        ${stylesOf(page).map((name) => html`<link rel="stylesheet" href="${stylesheets[name].path}" />`)}
        ${page.description && describe(page, page.description)} ${icon} ${page.site && siteIcons} ${page.head}
        ${page.publicAt !== undefined && isPlain(request) && alternates(page.publicAt, request)}
        ${page.scripts?.map((path) => html`<script type="module" src="${path}"></script>`)}
      </head>
      ${bodyOf(page, switchOf(page, request))}
    </html>`
}

function stylesOf({ site, styles = [] }: Page): StylesheetName[] {
  return [site ? 'site' : 'visitor', ...styles]
}

/** The addresses of a page in each language, and without one. */
function alternates(origin: string, { url }: Asked): Html {
  const link = (name: string, language?: Language) =>
    html`<link rel="alternate" hreflang="${name}" href="${origin}${addressIn(language, url)}" />`
  return html`${languages.map((language) => link(language, language))} ${link('x-default')}`
}

/** A page that answers a form has none: the link would lose what was typed, or a secret that is shown once. */
function switchOf(page: Page, request: Request): Html | undefined {
  const isAsked = request.method === 'GET' || request.method === 'HEAD'
  return isAsked && hasLanguage(request) ? languageSwitch(languageOf(page), request) : undefined
}

/** The Open Graph protocol is what previews of shared addresses read. */
function describe({ title, isOwners }: Page, description: string): Html {
  const lang = isOwners && html`lang=""`
  return html`<meta name="description" content="${description}" ${lang} />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" ${lang} />
    <meta property="og:description" content="${description}" ${lang} />`
}

const icon = html`<link rel="icon" href="/assets/quirl.svg" type="image/svg+xml" />`

/** Of the site, which one may install; the page of a link is not quirl's own. */
const siteIcons = html`<link rel="apple-touch-icon" href="/assets/icon-180.png" />
  <link rel="manifest" href="/assets/quirl.webmanifest" />
  <meta name="theme-color" content="#fbfaf5" media="(prefers-color-scheme: light)" />
  <meta name="theme-color" content="#0e1511" media="(prefers-color-scheme: dark)" />`

function bodyOf({ site, body, footer, scripts = [] }: Page, switches: Html | undefined): Html {
  if (site === undefined)
    return html`<body class="visitor">
      ${body} ${(footer ?? switches) && html`<footer>${footer} ${switches}</footer>`}
    </body>`
  return html`<body class="site">
    ${siteHeader(site.language, site.section, site.isForGuests)} ${body} ${siteFooter(site.language, switches)}
    ${scripts.length > 0 && scriptFailure(site.language)}
  </body>`
}

function languageOf({ site, lang = site?.language ?? 'en' }: Page): string {
  return lang
}

function attributesOf(page: Page): Html {
  const lang = html`lang="${languageOf(page)}"`
  return page.isRightToLeft ? html`${lang} dir="rtl"` : lang
}

function policyOf({ scripts = [], leadsAway = false, hasDrawings = false }: Page): string {
  if (hasDrawings) return (scripts.length > 0 ? scriptPolicy : policy).replace("img-src 'self'", "img-src 'self' data:")
  if (scripts.length > 0) return scriptPolicy
  return leadsAway ? policy.replace("form-action 'self'", "form-action 'self' http: https:") : policy
}
