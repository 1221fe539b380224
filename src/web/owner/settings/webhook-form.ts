import { html, type Html } from '../../../http/html.ts'
import type { Problem } from '../../../http/problem.ts'
import { webhookEventTypes, portFault, type WebhookDetails } from '../../../links/webhook.ts'
import type { Language } from '../../../texts/language.ts'
import { sharingTexts, type WebhookWords } from '../../../texts/settings-sharing.ts'
import { withTime } from '../time.ts'
import { twoSteps } from './card.ts'
import { renderField } from './field.ts'

/** A form of a webhook that was refused, with what was typed. */
export interface RefusedWebhook {
  url: string | undefined
  events: readonly string[] | undefined
  problem: Problem | undefined
}

/** The webhook of a link or of a collection, and its forms. */
export interface WebhookPart {
  language: Language
  webhook: WebhookDetails | null
  /** What is said of a link, or of a collection. */
  words: WebhookWords
  refused: RefusedWebhook | undefined
  /** What each form that sets something begins with, if anything. */
  hidden?: Html
  /** Wraps a form's content. */
  form: (action: 'webhook' | 'webhook-secret' | 'webhook-removal', content: Html) => Html
}

/** Shows how deliveries go, and sets and removes the webhook. */
export function webhookBody(part: WebhookPart): Html {
  const { webhook, words } = part
  return html`<p class="quiet">${words.lead}</p>
    ${webhook && deliveries(part, webhook)} ${settingForm(part)} ${webhook && furtherForms(part)}`
}

/** The state of a webhook in a word, as a chip. */
export function webhookState(webhook: WebhookDetails | null, language: Language) {
  const texts = sharingTexts[language].webhook
  if (webhook === null) return { state: texts.off, tone: 'quiet' as const }
  return { state: texts.states[webhook.state], tone: webhook.state === 'active' ? undefined : ('alarm' as const) }
}

function deliveries({ language, words }: WebhookPart, webhook: WebhookDetails): Html {
  const texts = sharingTexts[language].webhook
  const { state, last_delivery_at: delivered, next_attempt_at: next, destination_failing_since: failing } = webhook
  const lines = [
    delivered === null ? texts.none : withTime(texts.delivered, delivered, language),
    state !== 'blocked' && webhook.last_error !== null && html`${texts.failing} ${reasonOf(webhook, language)}`,
    state === 'failing' && next !== null && withTime(texts.next, next, language),
    state === 'given_up' && texts.givenUp,
    state === 'blocked' && texts.blocked,
    webhook.dropped > 0 && texts.dropped(webhook.dropped),
    failing !== null && withTime(words.destination, failing, language),
  ]
  const tone = state === 'active' && failing === null ? '' : 'warning'
  return html`<ul class="note settings-state ${tone}">
    ${lines.filter((line) => line !== false).map((line) => html`<li>${line}</li>`)}
  </ul>`
}

/** The reasons that the API has are for programmers, and in English. */
function reasonOf({ last_status: status, last_error: error }: WebhookDetails, language: Language): Html {
  const texts = sharingTexts[language].webhook
  if (status !== null) return html`${texts.status(status)}`
  return html`${texts.unreachable} <span class="quiet small" lang="en">(${error})</span>`
}

function settingForm(part: WebhookPart): Html {
  const { webhook, refused, language, hidden, form } = part
  const texts = sharingTexts[language].webhook
  return form(
    'webhook',
    html`${hidden}
      ${renderField({
        name: 'webhook_url',
        label: texts.address,
        hint: texts.addressHint,
        value: refused?.url ?? webhook?.url ?? '',
        fault: addressFault(part),
        attributes: html`type="text" inputmode="url" autocapitalize="none" spellcheck="false" required`,
      })}
      ${eventChoices(part)} <button>${buttonOf(webhook, texts)}</button>`,
  )
}

function buttonOf(webhook: WebhookDetails | null, texts: { button: string; save: string; retry: string }): string {
  if (webhook === null) return texts.button
  return webhook.state === 'active' || webhook.state === 'blocked' ? texts.save : texts.retry
}

function eventChoices({ language, webhook, words, refused }: WebhookPart): Html {
  const texts = sharingTexts[language].webhook
  const isRefused = isFaulty(refused, '/webhook/events')
  const chosen: readonly string[] = refused?.events ?? webhook?.events ?? webhookEventTypes
  return html`<fieldset ${isRefused && html` aria-describedby="setting-events-fault"`}>
    <legend>${texts.tell}</legend>
    ${webhookEventTypes.map(
      (type, at) =>
        html`<label class="choice"
          ><input
            type="checkbox"
            name="events"
            value="${type}"
            ${chosen.includes(type) && html` checked`}${isRefused && html` aria-invalid="true"`}${isRefused && at === 0 && html` autofocus`}
          />${words.events[type]}</label
        >`,
    )}
    ${isRefused && html`<p class="fault" id="setting-events-fault">${texts.eventsFault}</p>`}
  </fieldset>`
}

function addressFault({ language, refused }: WebhookPart): string | undefined {
  const texts = sharingTexts[language].webhook
  if (!isFaulty(refused, '/webhook/url')) return undefined
  if (refused?.problem?.code === 'target_blocked') return texts.listedFault
  const url = refused?.url ?? ''
  return URL.canParse(url) && portFault(url) !== undefined ? texts.portFault : texts.addressFault
}

function isFaulty(refused: RefusedWebhook | undefined, pointer: string): boolean {
  return refused?.problem?.errors.some((error) => error.pointer.startsWith(pointer)) === true
}

function furtherForms({ language, hidden, form }: WebhookPart): Html {
  const texts = sharingTexts[language].webhook
  const renewal = html`${hidden}
    <p>${texts.renewLead}</p>
    <button class="plain">${texts.renewButton}</button>`
  const removal = html`<p>${texts.removeLead}</p>
    <button class="alarm">${texts.removeButton}</button>`
  return html`${twoSteps(texts.renew, form('webhook-secret', renewal))}
  ${twoSteps(texts.remove, form('webhook-removal', removal))}`
}
