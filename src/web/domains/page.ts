import { randomUUID } from 'node:crypto'
import { expiresAt } from '../../domains/domain.ts'
import { readableName } from '../../domains/name.ts'
import type { Registered } from '../../domains/registry.ts'
import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import type { CreationGate } from '../../keys/open.ts'
import { domainsTexts } from '../../texts/domains.ts'
import type { Language } from '../../texts/language.ts'
import { fillText } from '../../lib/fill-text.ts'
import { closedNotice, keyInput } from '../creation.ts'
import { copyable, copyingData } from '../copyable.ts'
import { hinted } from '../hinted.ts'
import { recordsSection, type Records } from './records.ts'
import { date, statusSection, type StatusView } from './status.ts'

/** The form that registers a name, with what was typed. */
export interface FormView {
  language: Language
  creation: CreationGate['mode']
  /** The host of the service's short links. */
  own: string
  /** Whether it is a public name, to which a domain can lead. */
  hasName: boolean
  typed?: string
  fault?: string
  /** What it does: it claims a name that cannot be registered without a proof. */
  action?: 'register' | 'claim'
  /** The paths of its scripts: only the field of the access code has one. */
  scripts: string[]
}

/** The page on which a name is registered. */
export function domainsPage(view: FormView): Page {
  const { language } = view
  const texts = domainsTexts[language]
  return {
    title: texts.title,
    description: texts.description,
    site: { language, section: 'domains' },
    styles: ['domains'],
    scripts: view.scripts,
    body: html`<main>
      <h1>${texts.title}</h1>
      ${view.creation === 'closed' ? closedNotice(language) : registration(view)}
    </main>`,
  }
}

function registration(view: FormView): Html {
  const { language, own } = view
  const texts = domainsTexts[language]
  return html`<p class="domains-lead">
      ${fillText(texts.lead, { example: 'qr.example.com/menu', own: `${own}/menu` })}
    </p>
    ${!view.hasName && html`<p class="note warning" role="note">${texts.faults.no_public_name}</p>`}
    <div class="columns">
      ${registrationForm(view)}
      <aside aria-labelledby="steps">
        <h2 id="steps">${texts.stepsTitle}</h2>
        <ol class="domains-steps">
          ${Object.values(texts.steps).map((step) => html`<li>${step}</li>`)}
        </ol>
      </aside>
    </div>`
}

function registrationForm({ language, creation, typed = '', fault, action = 'register' }: FormView): Html {
  const texts = domainsTexts[language]
  const invalid = fault !== undefined && html` aria-invalid="true" autofocus`
  const further = fault === undefined ? '' : 'name-fault'
  return html`<form class="card" method="post" action="/domains">
    <input type="hidden" name="action" value="${action}" />
    <input type="hidden" name="idempotency_key" value="${randomUUID()}" />
    ${hinted(
      { id: 'domain-name', label: texts.name, hint: texts.nameHint, further },
      (attributes) =>
        html`<input
          type="text"
          name="name"
          value="${typed}"
          required
          maxlength="1000"
          inputmode="url"
          autocapitalize="none"
          autocomplete="off"
          spellcheck="false"
          ${attributes}${invalid}
        />`,
    )}
    ${fault && html`<p class="fault" id="name-fault" role="alert">${fault}</p>`} ${keyInput(creation, language)}
    <button>${texts.register}</button>
  </form>`
}

/** What the page of a domain shows. */
export interface DomainView extends StatusView, Pick<Records, 'records' | 'alternatives'> {
  /** The paths of its scripts. */
  scripts: string[]
  creation: CreationGate['mode']
  /** What a registration or a claim has just returned. */
  registered?: Pick<Registered, 'token' | 'claim'> & { claimExpiresAt?: number }
  /** Why the last request failed. */
  fault?: string
}

/** The page of a registered name. */
export function domainPage(view: DomainView): Page {
  const { language, domain, records, alternatives, registered, scripts } = view
  const texts = domainsTexts[language]
  const status = statusSection({ ...view, expiresAt: expiresAt(domain) })
  const readable = readableName(domain.name)
  return {
    title: readable,
    site: { language, section: 'domains' },
    styles: ['domains'],
    scripts,
    body: html`<main data-domains="/domains?name=${domain.name}" ${copyingData(language)}>
      <h1>${readable}</h1>
      ${readable !== domain.name && html`<p class="quiet">${fillText(texts.encoded, { name: domain.name })}</p>`}
      ${view.fault && html`<p class="note alarm" role="alert">${view.fault}</p>`} ${registered && keyNote(view)}
      <div class="columns">
        <div>${status} ${recordsSection({ language, zone: domain.registrable, records, alternatives })}</div>
        <div class="domains-fold">
          ${registered?.token === undefined && view.creation !== 'closed' && claimForm(view)} ${removeForm(view)}
        </div>
      </div>
      <p class="domains-another"><a href="/domains">${texts.another}</a></p>
    </main>`,
  }
}

function keyNote({ language, registered }: DomainView): Html | undefined {
  const texts = domainsTexts[language]
  if (registered?.token === undefined) return undefined
  const { token, claim, claimExpiresAt } = registered
  return html`<div class="note warning">
    <h2>${texts.keyTitle}</h2>
    <p>${copyable(token, texts.copy)}</p>
    <p>${claim === undefined ? texts.key : texts.claimKey}</p>
    ${claimExpiresAt !== undefined && html`<p>${fillText(texts.claimExpires, { date: date(claimExpiresAt, language) })}</p>`}
  </div>`
}

function claimForm({ language, domain, creation }: DomainView): Html {
  const texts = domainsTexts[language]
  return html`<details class="domains-claim">
    <summary>${texts.takenTitle}</summary>
    <p>${texts.taken}</p>
    <form method="post" action="/domains">
      <input type="hidden" name="action" value="claim" />
      <input type="hidden" name="idempotency_key" value="${randomUUID()}" />
      <input type="hidden" name="name" value="${domain.name}" />
      ${keyInput(creation, language)}
      <button class="plain">${texts.claim}</button>
    </form>
  </details>`
}

function removeForm({ language, domain, registered }: DomainView): Html {
  const texts = domainsTexts[language]
  const token = registered?.claim === undefined ? registered?.token : ''
  return html`<details>
    <summary>${texts.removeTitle}</summary>
    <p>${texts.remove}</p>
    <form method="post" action="/domains">
      <input type="hidden" name="action" value="remove" />
      <input type="hidden" name="name" value="${domain.name}" />
      <label
        >${texts.keyField}
        <input type="text" name="token" value="${token}" required maxlength="200" autocomplete="off" spellcheck="false"
      /></label>
      <button class="alarm">${texts.removeButton}</button>
    </form>
  </details>`
}

/** The page that confirms a removal. */
export function removedPage(name: string, language: Language): Page {
  const texts = domainsTexts[language]
  return {
    title: texts.title,
    site: { language, section: 'domains' },
    styles: ['domains'],
    body: html`<main class="narrow">
      <h1>${fillText(texts.removed, { name: readableName(name) })}</h1>
      <p role="status">${texts.removedText}</p>
      <p><a class="button plain" href="/domains">${texts.another}</a></p>
    </main>`,
  }
}
