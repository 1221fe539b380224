import { html, type Html } from '../../../http/html.ts'
import { webhookEventTypes, portFault, type WebhookDetails } from '../../../links/webhook.ts'
import { sharingTexts } from '../../../texts/settings-sharing.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId, ownerForm, renderCard, twoSteps } from './card.ts'
import { isFaulty, renderField, typedInto } from './field.ts'
import { withTime } from '../time.ts'

/** Sets and removes the webhook, and shows how its deliveries go. */
export function webhookCard(view: OwnerView, notice: Notice | undefined): Html {
  const { webhook, hasWebhooks } = view.settings
  const texts = sharingTexts[view.language].webhook
  if (!hasWebhooks) {
    const body = html`<p class="quiet">${texts.disabled}</p>`
    return renderCard({ name: 'webhook', title: texts.title, state: texts.off, tone: 'quiet', body }, notice)
  }
  const own = notice?.at === cardId('webhook') ? notice : undefined
  const body = html`<p class="quiet">${texts.lead}</p>
    ${webhook && deliveries(view, webhook)} ${webhookForm(view, own)} ${webhook && furtherForms(view)}`
  if (webhook === null)
    return renderCard({ name: 'webhook', title: texts.title, state: texts.off, tone: 'quiet', body }, notice)
  const tone = webhook.state === 'active' ? undefined : 'alarm'
  const state = texts.states[webhook.state]
  return renderCard({ name: 'webhook', title: texts.title, state, tone, body }, notice)
}

function deliveries({ language }: OwnerView, webhook: WebhookDetails): Html {
  const texts = sharingTexts[language].webhook
  const { state, last_delivery_at: delivered, next_attempt_at: next, destination_failing_since: failing } = webhook
  const lines = [
    delivered === null ? texts.none : withTime(texts.delivered, delivered, language),
    state !== 'blocked' && webhook.last_error !== null && html`${texts.failing} ${reasonOf(webhook, language)}`,
    state === 'failing' && next !== null && withTime(texts.next, next, language),
    state === 'given_up' && texts.givenUp,
    state === 'blocked' && texts.blocked,
    webhook.dropped > 0 && texts.dropped(webhook.dropped),
    failing !== null && withTime(texts.destination, failing, language),
  ]
  const tone = state === 'active' && failing === null ? '' : 'warning'
  return html`<ul class="note settings-state ${tone}">
    ${lines.filter((line) => line !== false).map((line) => html`<li>${line}</li>`)}
  </ul>`
}

/** The reasons that the API has are for programmers, and in English. */
function reasonOf({ last_status: status, last_error: error }: WebhookDetails, language: OwnerView['language']): Html {
  const texts = sharingTexts[language].webhook
  if (status !== null) return html`${texts.status(status)}`
  return html`${texts.unreachable} <span class="quiet small" lang="en">(${error})</span>`
}

function webhookForm(view: OwnerView, own: Notice | undefined): Html {
  const { webhook } = view.settings
  const texts = sharingTexts[view.language].webhook
  const form = html`<input type="hidden" name="revision" value="${view.link.revision}" />
    ${renderField({
      name: 'webhook_url',
      label: texts.address,
      hint: texts.addressHint,
      value: typedInto(own, 'url') ?? webhook?.url ?? '',
      fault: addressFault(view, own),
      attributes: html`type="text" inputmode="url" autocapitalize="none" spellcheck="false" required`,
    })}
    ${eventChoices(view, own)}
    <button>${buttonOf(webhook, texts)}</button>`
  return ownerForm(view, 'webhook', form)
}

function buttonOf(webhook: WebhookDetails | null, texts: { button: string; save: string; retry: string }): string {
  if (webhook === null) return texts.button
  return webhook.state === 'active' || webhook.state === 'blocked' ? texts.save : texts.retry
}

function eventChoices({ language, settings: { webhook } }: OwnerView, own: Notice | undefined): Html {
  const texts = sharingTexts[language].webhook
  const isRefused = isFaulty(own, '/webhook/events')
  const chosen: readonly string[] = own?.chosen ?? webhook?.events ?? webhookEventTypes
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
          />${texts.events[type]}</label
        >`,
    )}
    ${isRefused && html`<p class="fault" id="setting-events-fault">${texts.eventsFault}</p>`}
  </fieldset>`
}

function addressFault({ language }: OwnerView, own: Notice | undefined): string | undefined {
  const texts = sharingTexts[language].webhook
  if (!isFaulty(own, '/webhook/url')) return undefined
  if (own?.problem?.code === 'target_blocked') return texts.listedFault
  const url = typedInto(own, 'url') ?? ''
  return URL.canParse(url) && portFault(url) !== undefined ? texts.portFault : texts.addressFault
}

function furtherForms(view: OwnerView): Html {
  const texts = sharingTexts[view.language].webhook
  const renewal = html`<input type="hidden" name="revision" value="${view.link.revision}" />
    <p>${texts.renewLead}</p>
    <button class="plain">${texts.renewButton}</button>`
  const removal = html`<p>${texts.removeLead}</p>
    <button class="alarm">${texts.removeButton}</button>`
  return html`${twoSteps(texts.renew, ownerForm(view, 'webhook-secret', renewal))}
  ${twoSteps(texts.remove, ownerForm(view, 'webhook-removal', removal))}`
}
