import { html, type Html } from '../../http/html.ts'
import { dnsProviderTexts } from '../../texts/dns-providers.ts'
import { domainsTexts } from '../../texts/domains.ts'
import type { Language } from '../../texts/language.ts'
import { fillText } from '../../lib/fill-text.ts'
import { copyable } from '../copyable.ts'

export interface DnsRecord {
  type: string
  name: string
  value: string
}

/** The records to set for a name. */
export interface Records {
  language: Language
  /** The domain whose zone they belong to. */
  zone: string
  records: DnsRecord[]
  /** The addresses to set where a CNAME is not possible. */
  alternatives: DnsRecord[]
}

/** The records to set, in general and as the forms of providers take them. */
export function recordsSection({ language, zone, records, alternatives }: Records): Html | undefined {
  const texts = domainsTexts[language]
  if (records.length === 0) return undefined
  return html`<section aria-labelledby="records">
    <h2 id="records">${records.length > 1 ? texts.recordsTitle : texts.recordTitle}</h2>
    ${records.map((record) => recordCard(record, zone, language))}
    ${
      alternatives.length > 0 &&
      html`<h3>${texts.alternativesTitle}</h3>
        <p>${texts.alternatives}</p>
        ${alternatives.map((record) => recordCard(record, zone, language))}`
    }
    <h3>${texts.providersTitle}</h3>
    <div class="domains-fold">
      ${Object.entries(dnsProviderTexts[language]).map(([name, provider]) =>
        providerForm(provider, { records, zone, language, hasDot: name === 'hetzner' || name === 'strato' }),
      )}
      <details>
        <summary>${texts.general}</summary>
        ${records.map((record) => html`<p>${copyable(zoneLine(record), texts.copy)}</p>`)}
      </details>
    </div>
  </section>`
}

function recordCard({ type, name, value }: DnsRecord, zone: string, language: Language): Html {
  const texts = domainsTexts[language]
  const relative = relativeName(name, zone)
  return html`<dl class="card domains-record">
    <dt>${texts.type}</dt>
    <dd><code>${type}</code></dd>
    <dt>${texts.host}</dt>
    <dd>
      ${copyable(relative, texts.copy)}
      <small class="quiet">${fillText(texts.fullName, { name })}</small>
    </dd>
    <dt>${texts.value}</dt>
    <dd>${copyable(value, texts.copy)}</dd>
    <dt>${texts.ttl}</dt>
    <dd>${texts.ttlValue}</dd>
  </dl>`
}

type Provider = (typeof dnsProviderTexts)['en']['cloudflare']

function providerForm(
  provider: Provider,
  { records, zone, language, hasDot }: Pick<Records, 'records' | 'zone' | 'language'> & { hasDot: boolean },
): Html {
  const texts = domainsTexts[language]
  const isDotted = hasDot && records.some(({ type }) => type === 'CNAME')
  return html`<details>
    <summary>${provider.label}</summary>
    <p>${provider.where}</p>
    ${records.map(({ type, name, value }) => {
      const shown = isDotted && type === 'CNAME' ? `${value}.` : value
      return html`<dl>
        <dt>${texts.type}</dt>
        <dd>${type}</dd>
        <dt>${provider.host}</dt>
        <dd>${copyable(relativeName(name, zone), texts.copy)}</dd>
        <dt>${valueLabel(provider, type)}</dt>
        <dd>${copyable(shown, texts.copy)}</dd>
      </dl>`
    })}
    <p>${provider.ttl.replace(/\.$/, '')}. ${isDotted && texts.dot}</p>
    <p class="note warning">${provider.note}</p>
  </details>`
}

function valueLabel({ target, address, text }: Provider, type: string): string {
  if (type === 'TXT') return text
  return type === 'CNAME' ? target : address
}

/** A name as forms take it: without the domain, or "@" for the domain itself. */
export function relativeName(name: string, zone: string): string {
  return name === zone ? '@' : name.slice(0, -(zone.length + 1))
}

function zoneLine({ type, name, value }: DnsRecord): string {
  const shown = type === 'CNAME' ? `${value}.` : type === 'TXT' ? `"${value}"` : value
  return `${name}. 3600 IN ${type} ${shown}`
}
