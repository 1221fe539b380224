import { Problem } from '../../../http/problem.ts'
import type { OwnedLink } from '../../../links/design.ts'
import { webhookEventTypes } from '../../../links/webhook.ts'
import { sharingTexts } from '../../../texts/settings-sharing.ts'
import { filledFields } from '../../form-body.ts'
import { ifMatchOf, type Action, type Outcome, type Submission } from '../submission.ts'
import { cardId } from './card.ts'
import { oncePage } from './once-page.ts'
import { submit, type SettingsForm } from './submit.ts'

const at = cardId('webhook')
const urlField = [{ name: 'webhook_url', label: '', input: 'url' as const }]

export const setWebhook: Action = (submission) => {
  const { form } = submission
  const { webhook_url: typed } = filledFields(form, urlField)
  const url = typeof typed === 'string' ? typed : ''
  const events = webhookEventTypes.filter((type) => form.getAll('events').includes(type))
  return submitWebhook(submission, { values: { url }, chosen: events }, async (owned) =>
    saveWebhook(submission, owned, { url, events }),
  )
}

export const renewSecret: Action = (submission) =>
  submitWebhook(submission, {}, async (owned) => {
    const { webhook } = owned
    // It was removed in another window.
    if (webhook === null) throw new Problem('precondition_failed', 'the link has no webhook')
    return saveWebhook(submission, owned, { url: webhook.url, events: webhook.events, secret: 'new' })
  })

export const removeWebhook: Action = (submission) =>
  submitWebhook(submission, {}, async (owned) => {
    await submission.change(owned, { webhook: null })
    return { done: 'webhook-removed', at }
  })

function submitWebhook(
  submission: Submission,
  typed: Pick<SettingsForm, 'values' | 'chosen'>,
  run: (owned: OwnedLink) => Promise<Outcome>,
): Promise<Outcome> {
  const says = { precondition_failed: sharingTexts[submission.language].webhook.conflict }
  return submit({ at, pointers: ['/webhook'], ...typed, says }, submission, run)
}

async function saveWebhook(submission: Submission, owned: OwnedLink, webhook: object): Promise<Outcome> {
  // Nor may a response that is loaded again change the secret.
  const changed = await submission.change(owned, { webhook }, { ifMatch: ifMatchOf(submission.form) })
  const secret = changed.webhook?.secret
  return secret === undefined ? { done: 'webhook-saved', at } : { page: secretPage(submission, secret) }
}

function secretPage({ language, access, scripts, isTrimmed }: Submission, secret: string) {
  const { title, lead, label, after, file } = sharingTexts[language].webhook.page
  return oncePage({
    language,
    title,
    lead,
    label,
    secret,
    after,
    file,
    back: `${access.page}?webhook-saved${isTrimmed() ? '&trimmed' : ''}#${at}`,
    scripts,
  })
}
