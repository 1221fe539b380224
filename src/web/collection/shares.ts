import { html, type Html } from '../../http/html.ts'
import { UNKNOWN_VALUE } from '../../dimensions/dimension.ts'
import { MAX_SHARES } from '../../shares/bounds.ts'
import { collectionShareOptions } from '../../shares/collection-options.ts'
import { collectionTexts } from '../../texts/collection.ts'
import { sharingTexts } from '../../texts/settings-sharing.ts'
import { oncePage } from '../owner/settings/once-page.ts'
import { renderChoice, renderField } from '../owner/settings/field.ts'
import { withTime } from '../owner/time.ts'
import { idempotentForm, type CollectionOutcome, type CollectionSubmission } from './submission.ts'
import { actionForm, folded, noticeOf, typed } from './parts.ts'
import { pathOf, type CollectionNotice, type CollectionView } from './view.ts'

/** Reports for others: lists, creates and revokes the shares of the collection. */
export function sharesSection(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const { shares, language } = view
  const texts = sharingTexts[language].shares
  return folded(
    { id: 'shares', title: texts.title, isOpen: notice?.at === 'shares' },
    html`${noticeOf(notice, 'shares')}
      <p>${collectionTexts[language].shares.lead}</p>
      ${
        shares.length > 0 &&
        html`<ul class="settings-list">
          ${shares.map((share) => item(view, share))}
        </ul>`
      }
      ${shares.length < MAX_SHARES ? creationForm(view, notice) : html`<p class="note">${collectionTexts[language].shares.full(MAX_SHARES)}</p>`}`,
  )
}

function item(view: CollectionView, share: CollectionView['shares'][number]): Html {
  const { id, name, campaign, csv, destination, createdAt } = share
  const { language } = view
  const texts = sharingTexts[language].shares
  const title = name?.trim() || texts.unnamed
  return html`<li>
    <p class="row">
      <strong dir="auto">${title}</strong>
      <span class="quiet small">${withTime(texts.since, createdAt, language)}</span>
      ${campaign !== null && html`<span class="chip" dir="auto">${campaignText(campaign, language)}</span>`}
      ${csv && html`<span class="chip">${texts.csv}</span>`}
      ${destination && html`<span class="chip">${texts.destination}</span>`}
    </p>
    ${actionForm(
      view,
      'revoke-share',
      html`<input type="hidden" name="share" value="${id}" />
        <button class="bare" aria-label="${texts.revoke}: ${title}">${texts.revoke}</button>`,
    )}
  </li>`
}

function campaignText(campaign: string, language: CollectionView['language']): string {
  return campaign === UNKNOWN_VALUE ? collectionTexts[language].list.none : campaign
}

function creationForm(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const { language, overview } = view
  const texts = sharingTexts[language].shares
  const { list } = collectionTexts[language]
  const own = notice?.at === 'shares' ? notice : undefined
  const isFaulty = own?.problem?.errors.some(({ pointer }) => pointer === '/name') === true
  const campaigns = overview.campaigns.map(({ value }) => value ?? UNKNOWN_VALUE)
  const name = renderField({
    id: 'share-name',
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value: typed(own, 'name') ?? '',
    fault: isFaulty ? texts.nameFault : undefined,
  })
  return actionForm(
    view,
    'share',
    html`${name}
      <label for="share-campaign">${list.campaign}</label>
      <select id="share-campaign" name="campaign">
        <option value="">${list.every}</option>
        ${campaigns.map((value) => html`<option value="${value}">${campaignText(value, language)}</option>`)}
      </select>
      ${renderChoice({ name: 'csv', value: 'yes', label: texts.withCsv })}
      ${renderChoice({ name: 'destination', value: 'yes', label: collectionTexts[language].shares.withDestination })}
      <p class="settings-buttons"><button class="plain">${texts.button}</button></p>`,
  )
}

/** Creates a share, whose address only the response has. */
export async function createShare(submission: CollectionSubmission): Promise<CollectionOutcome> {
  const { shares, collections, client, token, form, language, scripts } = submission
  const [name, campaign] = [form.get('name')?.trim(), form.get('campaign')]
  const options = collectionShareOptions({
    ...(name && { name }),
    ...(campaign && { campaign }),
    csv: form.get('csv') === 'yes',
    destination: form.get('destination') === 'yes',
  })
  const { id } = await collections.find(token)
  const created = await shares.create(id, options, client, idempotentForm(form, ['share', id, options]))
  const { title, lead, label, open } = sharingTexts[language].shares.page
  const url = `${client.origin}/s/${created.token}`
  const target = { text: open, url, isNewWindow: true }
  const back = `${pathOf({ token })}?shared#shares`
  return { page: oncePage({ language, title, lead, label, secret: url, open: target, back, scripts }) }
}

export async function revokeShare({
  shares,
  collections,
  token,
  form,
}: CollectionSubmission): Promise<CollectionOutcome> {
  const { id } = await collections.find(token)
  await shares.revoke(id, form.get('share') ?? '')
  return { done: 'revoked', at: 'shares' }
}
