import { html, type Html } from '../../http/html.ts'
import { Problem } from '../../http/problem.ts'
import { webhookEventTypes } from '../../links/webhook.ts'
import { sharingTexts } from '../../texts/settings-sharing.ts'
import { filledFields } from '../form-body.ts'
import { oncePage } from '../owner/settings/once-page.ts'
import { webhookBody, webhookState, type RefusedWebhook } from '../owner/settings/webhook-form.ts'
import { actionForm, folded, noticeOf, typed } from './parts.ts'
import type { CollectionOutcome, CollectionSubmission } from './submission.ts'
import { pathOf, type CollectionNotice, type CollectionView } from './view.ts'

/** Sets and removes the webhook for the events of all links, and shows how its deliveries go. */
export function webhookSection(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const { language, webhook, hasWebhooks } = view
  const texts = sharingTexts[language].webhook
  const own = notice?.at === 'webhook' ? notice : undefined
  const body = hasWebhooks
    ? webhookBody({
        language,
        webhook,
        words: sharingTexts[language].collectionWebhook,
        refused: refusedIn(own),
        form: (action, content) => actionForm(view, action, content),
      })
    : html`<p class="quiet">${texts.disabled}</p>`
  const part = { id: 'webhook', title: texts.title, isOpen: own !== undefined, ...webhookState(webhook, language) }
  return folded(part, html`${noticeOf(notice, 'webhook')} ${body}`)
}

/** What was typed into the form that was refused; the other forms have nothing to type into. */
function refusedIn(own: CollectionNotice | undefined): RefusedWebhook | undefined {
  if (own?.problem === undefined) return undefined
  return { url: typed(own, 'webhook_url'), events: typed(own, 'events')?.split(' '), problem: own.problem }
}

const urlField = [{ name: 'webhook_url', label: '', input: 'url' as const }]

/** Sets the webhook; a new secret is shown once. */
export function setWebhook(submission: CollectionSubmission): Promise<CollectionOutcome> {
  const { form } = submission
  const { webhook_url: url = '' } = filledFields(form, urlField)
  return save(submission, { url, events: chosenIn(form) })
}

export async function renewSecret(submission: CollectionSubmission): Promise<CollectionOutcome> {
  const { collections, token } = submission
  const webhook = await collections.webhookOf(await collections.find(token))
  // It was removed in another window.
  if (webhook === null) throw new Problem('precondition_failed', 'the collection has no webhook')
  return save(submission, { url: webhook.url, events: webhook.events, secret: 'new' })
}

export async function removeWebhook({ collections, token, client }: CollectionSubmission): Promise<CollectionOutcome> {
  await collections.setWebhook(token, null, client)
  return { done: 'webhook-removed', at: 'webhook' }
}

function chosenIn(form: URLSearchParams): string[] {
  return webhookEventTypes.filter((type) => form.getAll('events').includes(type))
}

async function save(submission: CollectionSubmission, webhook: object): Promise<CollectionOutcome> {
  const { collections, token, client, language, scripts } = submission
  const draft = collections.readWebhook(webhook, () => {})
  const secret = (await collections.setWebhook(token, draft, client))?.secret
  if (secret === undefined) return { done: 'webhook-saved', at: 'webhook' }
  const { title, lead, label, after, file } = sharingTexts[language].webhook.page
  const back = `${pathOf({ token })}?webhook-saved#webhook`
  return { page: oncePage({ language, title, lead, label, secret, after, file, back, scripts }) }
}
