import { Problem } from '../../../http/problem.ts'
import { refundFailed } from '../../../links/charged.ts'
import type { OwnedLink } from '../../../links/design.ts'
import { entityTag } from '../../../links/link.ts'
import { webhookEventTypes } from '../../../links/webhook.ts'
import { sharingTexts } from '../../../texts/settings-sharing.ts'
import { filledFields } from '../../form-body.ts'
import type { Action, Outcome, Submission } from '../submission.ts'
import { cardId } from './card.ts'
import { oncePage } from './once-page.ts'
import { submit, type SettingsForm } from './submit.ts'

const at = cardId('webhook')
const urlField = [{ name: 'webhook_url', label: '', input: 'url' as const }]

/** A page that was opened before another change must not undo it; nor may a response that is loaded again change the secret. */
const ifMatchOf = (form: URLSearchParams) => entityTag({ revision: Number(form.get('revision')) })

export const setWebhook: Action = (submission) => {
  const { form } = submission
  const { webhook_url: typed } = filledFields(form, urlField)
  const url = typeof typed === 'string' ? typed : ''
  const events = webhookEventTypes.filter((type) => form.getAll('events').includes(type))
  return change(submission, { values: { url }, chosen: events }, async (owned) =>
    saveWebhook(submission, owned, { url, events }),
  )
}

export const renewSecret: Action = (submission) =>
  change(submission, {}, async (owned) => {
    const { webhook } = owned
    // It was removed in another window.
    if (webhook === null) throw new Problem('precondition_failed', 'the link has no webhook')
    return saveWebhook(submission, owned, { url: webhook.url, events: webhook.events, secret: 'new' })
  })

export const removeWebhook: Action = (submission) =>
  change(submission, {}, async (owned) => {
    const { links, charge } = submission
    const body = { webhook: null }
    const webhook = await links.checkWebhook(owned, body, charge)
    await links.change(owned, body, { webhook })
    return { done: 'webhook-removed', at }
  })

function change(
  submission: Submission,
  typed: Pick<SettingsForm, 'values' | 'chosen'>,
  run: (owned: OwnedLink) => Promise<Outcome>,
): Promise<Outcome> {
  const says = { precondition_failed: sharingTexts[submission.language].webhook.conflict }
  return submit({ at, pointers: ['/webhook'], ...typed, says }, submission, run)
}

async function saveWebhook(submission: Submission, owned: OwnedLink, draft: object): Promise<Outcome> {
  const { links, form, charge } = submission
  const ifMatch = ifMatchOf(form)
  const body = { webhook: draft }
  const secret = await refundFailed(charge, async (chargeOnce) => {
    const webhook = await links.checkWebhook(owned, body, chargeOnce)
    const changed = await links.change(owned, body, { ifMatch, webhook })
    return webhook === undefined ? undefined : changed.webhook?.secret
  })
  return secret === undefined ? { done: 'webhook-saved', at } : { page: secretPage(submission, secret) }
}

function secretPage({ language, token, scripts, isTrimmed }: Submission, secret: string) {
  const { title, lead, label, after, file } = sharingTexts[language].webhook.page
  return oncePage({
    language,
    title,
    lead,
    label,
    secret,
    after,
    file,
    back: `/m/${token}?webhook-saved${isTrimmed() ? '&trimmed' : ''}#${at}`,
    scripts,
  })
}
