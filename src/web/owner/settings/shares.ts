import { hash } from 'node:crypto'
import { html, type Html } from '../../../http/html.ts'
import { invalidRequest, Problem } from '../../../http/problem.ts'
import { createValidator } from '../../../http/validate.ts'
import type { IdempotentRequest } from '../../../links/idempotency/idempotency.ts'
import { MAX_SHARES } from '../../../shares/bounds.ts'
import type { CreatedShare, ShareOptions } from '../../../shares/open.ts'
import { shareBody } from '../../../shares/schemas.ts'
import { sharingTexts } from '../../../texts/settings-sharing.ts'
import type { Action, Outcome, Submission } from '../submission.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId, ownerForm, renderCard, twoSteps } from './card.ts'
import { isFaulty, renderChoice, renderField, typedInto } from './field.ts'
import { oncePage } from './once-page.ts'
import { keyOf, submit } from './submit.ts'
import { withTime } from '../time.ts'

const validate = createValidator(shareBody)

/** Lists, creates and revokes the shares of the link's statistics. */
export function sharesCard(view: OwnerView, notice: Notice | undefined): Html {
  const { shares } = view.settings
  const texts = sharingTexts[view.language].shares
  const own = notice?.at === cardId('shares') ? notice : undefined
  const body = html`<p class="quiet">${texts.lead}</p>
    ${
      shares.length > 0 &&
      html`<ul class="settings-list">
        ${shares.map((share) => shareItem(view, share))}
      </ul>`
    }
    ${shares.length < MAX_SHARES ? creationForm(view, own) : html`<p class="note">${texts.full(MAX_SHARES)}</p>`}`
  const tone = shares.length === 0 ? 'quiet' : undefined
  return renderCard({ name: 'shares', title: texts.title, state: texts.count(shares.length), tone, body }, notice)
}

function shareItem(view: OwnerView, { id, name, createdAt, csv, destination }: CreatedShare['share']): Html {
  const texts = sharingTexts[view.language].shares
  const title = name?.trim() || texts.unnamed
  const revocation = html`<input type="hidden" name="share" value="${id}" />
    <p>${texts.revokeLead}</p>
    <button class="alarm">${texts.revokeButton}</button>`
  return html`<li>
    <p class="row">
      <strong dir="auto">${title}</strong>
      <span class="quiet small">${withTime(texts.since, createdAt, view.language)}</span>
      ${csv && html`<span class="chip">${texts.csv}</span>`}
      ${destination && html`<span class="chip">${texts.destination}</span>`}
    </p>
    ${twoSteps(html`${texts.revoke}<span class="unseen"> ${title}</span>`, ownerForm(view, 'share-revocation', revocation))}
  </li>`
}

function creationForm(view: OwnerView, own: Notice | undefined): Html {
  const texts = sharingTexts[view.language].shares
  const fault = isFaulty(own, '/name') ? texts.nameFault : undefined
  const choice = (name: 'csv' | 'destination', label: string) =>
    renderChoice({ name, value: 'yes', label, isChecked: typedInto(own, name) === 'yes' })
  const form = html`<h4>${texts.new}</h4>
    ${renderField({ name: 'name', label: texts.name, hint: texts.nameHint, value: typedInto(own, 'name') ?? '', fault })}
    ${choice('csv', texts.withCsv)} ${choice('destination', texts.withDestination)}
    ${view.link.password !== null && html`<p class="hint">${texts.hidden}</p>`}
    <button>${texts.button}</button>`
  return ownerForm(view, 'share', form)
}

export const createShare: Action = (submission) => {
  const { form, language } = submission
  const values = {
    name: form.get('name') ?? '',
    csv: form.get('csv') ?? '',
    destination: form.get('destination') ?? '',
  }
  const says = { too_many_shares: sharingTexts[language].shares.full(MAX_SHARES) }
  return submit({ at: cardId('shares'), pointers: ['/name'], values, says }, submission, async ({ link }) => {
    const name = values.name.trim()
    const errors = validate({ name })
    if (errors.length > 0) throw invalidRequest(errors)
    const options = { name: name || null, csv: values.csv === 'yes', destination: values.destination === 'yes' }
    const { shares, client, form } = submission
    const created = await shares.create(link.id, options, client, idempotentForm(form, link.id, options))
    return isStillShared(submission, link.id, created)
  })
}

/** The form's key is tied to its values: an owner who goes back and changes one wants another share. */
function idempotentForm(form: URLSearchParams, linkId: number, options: ShareOptions): IdempotentRequest | undefined {
  const key = keyOf(form)
  const request = JSON.stringify(['share', linkId, options])
  return key === undefined ? undefined : { key: `${key} ${hash('sha256', request)}`, request }
}

/** A response that is loaded again after the revocation of its share has an address that no longer works. */
async function isStillShared(submission: Submission, linkId: number, { share, token }: CreatedShare): Promise<Outcome> {
  const all = await submission.shares.list(linkId)
  if (!all.some(({ id }) => id === share.id)) return { done: 'revoked', at: cardId('shares') }
  const { language, client, scripts, access } = submission
  const { title, lead, label, open } = sharingTexts[language].shares.page
  const url = `${client.origin}/s/${token}`
  const target = { text: open, url, isNewWindow: true }
  const back = `${access.page}?shared#${cardId('shares')}`
  return { page: oncePage({ language, title, lead, label, secret: url, open: target, back, scripts }) }
}

/** A share that was revoked in another window is as revoked as the owner wants it. */
export const revokeShare: Action = (submission) =>
  submit({ at: cardId('shares'), pointers: [] }, submission, async ({ link }) => {
    try {
      await submission.shares.revoke(link.id, submission.form.get('share') ?? '')
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unknown_share') throw error
    }
    return { done: 'revoked', at: cardId('shares') }
  })
