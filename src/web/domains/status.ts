import { readableName } from '../../domains/name.ts'
import { claimRecord, proofOf } from '../../domains/claim.ts'
import { servedOf, type Domain } from '../../domains/domain.ts'
import type { DnsFault } from '../../domains/dns-fault.ts'
import { html, type Html } from '../../http/html.ts'
import { domainsTexts } from '../../texts/domains.ts'
import { locales, type Language } from '../../texts/language.ts'
import { fillText } from '../../lib/fill-text.ts'

/** The state of a certificate. Times are milliseconds since 1970, UTC. */
export interface CertificateState {
  notAfter: number | undefined
  /** Attempts in a row that failed because of the name. */
  failures?: number
  fault?: string | undefined
  /** Since when it waits for its turn. */
  queuedAt?: number | undefined
  /** For what: places under its domain, those of its network, those of all, or its turn. */
  waitsFor?: 'domain' | 'network' | 'all' | 'turn'
  retryAt?: number
}

/** What the page knows of a domain. */
export interface StatusView {
  language: Language
  domain: Domain
  /** Undefined when the service does not obtain certificates itself. */
  certificate: CertificateState | undefined
  /** Whether a proxy serves it over HTTPS. */
  isHttps: boolean
  expiresAt: number | undefined
  now: number
  /** Whether a script goes on checking. */
  isLive: boolean
}

const chips = { active: 'chip', pending: 'chip warning', misconfigured: 'chip alarm' }

/** Whether a name leads here, or what is wrong; screen readers announce when it changes. */
export function statusSection(view: StatusView): Html {
  const { language, domain, expiresAt } = view
  const texts = domainsTexts[language]
  const { name, status, fault, checkedAt } = domain
  const checked = checkedAt === undefined ? undefined : time(checkedAt, language)
  const isDone = status === 'active' && fault === undefined
  const checkedText = view.isLive && !isDone ? texts.checkedAt : texts.checkedAtOnce
  return html`<section class="card domains-state" aria-labelledby="state" data-domain="${status}">
    <h2 id="state">${texts.state}</h2>
    <div role="status">
      <p><span class="${chips[status]}">${texts.status[status]}</span></p>
      ${isDone ? foundText(view) : html`<p><strong>${faultText(fault, readableName(name), language)}</strong></p>`}
      <p>${texts.certificate}: ${certificateText(view)}</p>
    </div>
    <p class="quiet">
      ${checked && fillText(checkedText, { time: checked })}
      ${expiresAt !== undefined && fillText(texts.expires, { date: date(expiresAt, language) })}
    </p>
    <p><a class="button plain" href="/domains?name=${name}">${texts.checkAgain}</a></p>
  </section>`
}

function foundText({ language, domain }: StatusView): Html {
  const texts = domainsTexts[language]
  const name = readableName(domain.name)
  return html`<p><strong>${fillText(texts.found, { name })}</strong></p>
    <p>${fillText(texts.foundNext, { example: `${name}/…` })}</p>
    ${servedOf(domain) === 'open' && openText(language, domain)}`
}

/** How a name becomes one that serves short links only. */
function openText(language: Language, { name, tokenHash }: Domain): Html {
  const texts = domainsTexts[language]
  return html`<p>${texts.open}</p>
    <p class="result">TXT <code>${claimRecord(name)}</code> <code>${proofOf(name, tokenHash)}</code></p>`
}

function faultText(fault: DnsFault | undefined, name: string, language: Language): string {
  const texts = domainsTexts[language]
  if (fault === undefined) return texts.notChecked
  const found = fault.findings.flatMap((finding) => finding.found).join(', ')
  return fillText(texts.faults[fault.code], { name, found: found || texts.anotherPlace })
}

function certificateText({ language, domain, certificate, isHttps, now }: StatusView): string | Html {
  const { certificates } = domainsTexts[language]
  if (certificate === undefined) return isHttps ? certificates.proxy : certificates.off
  const { notAfter, failures = 0, fault, queuedAt, waitsFor = 'turn', retryAt } = certificate
  if (notAfter !== undefined && notAfter > now) return fillText(certificates.valid, { date: date(notAfter, language) })
  if (domain.status !== 'active') return certificates.waiting
  if (fault === undefined) return queuedAt === undefined ? certificates.pending : certificates.queued[waitsFor]
  const text = fillText(failures > 0 ? certificates.failed : certificates.away, {
    time: time(retryAt ?? now, language),
  })
  // The authority's words, or those of the network.
  return html`${text} <span class="quiet small" lang="en">(${fault})</span>`
}

/** In UTC: the server does not know the visitor's time zone. */
function time(at: number, language: Language): string {
  const format = new Intl.DateTimeFormat(locales[language], { timeStyle: 'short', timeZone: 'UTC' })
  return `${format.format(at)} UTC`
}

export function date(at: number, language: Language): string {
  return new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: 'UTC' }).format(at)
}
