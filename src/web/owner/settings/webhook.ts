import { html, type Html } from '../../../http/html.ts'
import { sharingTexts } from '../../../texts/settings-sharing.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId, ownerForm, renderCard } from './card.ts'
import { typedInto } from './field.ts'
import { webhookBody, webhookState } from './webhook-form.ts'

/** Sets and removes the webhook, and shows how its deliveries go. */
export function webhookCard(view: OwnerView, notice: Notice | undefined): Html {
  const { language } = view
  const { webhook, hasWebhooks } = view.settings
  const texts = sharingTexts[language].webhook
  if (!hasWebhooks) {
    const body = html`<p class="quiet">${texts.disabled}</p>`
    return renderCard({ name: 'webhook', title: texts.title, state: texts.off, tone: 'quiet', body }, notice)
  }
  const own = notice?.at === cardId('webhook') ? notice : undefined
  const body = webhookBody({
    language,
    webhook,
    words: texts,
    refused: own && { url: typedInto(own, 'url'), events: own.chosen, problem: own.problem },
    hidden: html`<input type="hidden" name="revision" value="${view.link.revision}" />`,
    form: (action, content) => ownerForm(view, action, content),
  })
  return renderCard({ name: 'webhook', title: texts.title, ...webhookState(webhook, language), body }, notice)
}
