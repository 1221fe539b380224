import { html, type Html } from '../../../http/html.ts'
import { invalidRequest } from '../../../http/problem.ts'
import { settingsTexts } from '../../../texts/settings.ts'
import { keptLink } from '../../my-links/kept-link.ts'
import type { KeptLink } from '../../my-links/kept-links.ts'
import type { Action, Submission } from '../submission.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId, ownerForm, renderCard } from './card.ts'
import { isFaulty, renderChoice } from './field.ts'
import { oncePage } from './once-page.ts'
import { keyOf, submit } from './submit.ts'

/** Issues a new token, and so a new address of the owner's page. */
export function keyCard(view: OwnerView, notice: Notice | undefined): Html {
  const texts = settingsTexts[view.language].key
  const isRefused = notice?.at === cardId('key') && isFaulty(notice, '/sure')
  const fault = isRefused ? texts.fault : undefined
  const form = html`${renderChoice({ name: 'sure', value: 'yes', label: texts.confirm, fault, isRequired: true })}
    <button class="plain">${texts.button}</button>`
  const body = html`<p class="quiet">${texts.lead}</p>
    <p>${texts.explain}</p>
    ${ownerForm(view, 'key', form)}`
  return renderCard({ name: 'key', title: texts.title, body }, notice)
}

export const rotateKey: Action = (submission) =>
  submit({ at: cardId('key'), pointers: ['/sure'] }, submission, async ({ link, design }) => {
    const { links, access, form, client } = submission
    if (form.get('sure') !== 'yes') throw invalidRequest([{ pointer: '/sure', detail: 'must be ticked' }])
    const key = keyOf(form)
    const idempotentRequest = key === undefined ? undefined : { key, request: '' }
    const { token: next, manage_url: url } = await links.rotate(access.credential, client, { idempotentRequest })
    return { page: keyPage(submission, url, keptLink(link, next, design)) }
  })

/** The link to the new page is not a new window: it is the use that ends the old address. */
function keyPage({ language, scripts }: Submission, url: string, kept: KeptLink) {
  const { title, lead, label, after, open, file } = settingsTexts[language].key.page
  const target = { text: open, url, isNewWindow: false }
  return oncePage({ language, title, lead, label, secret: url, after, file, open: target, kept, scripts })
}
