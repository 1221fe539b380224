import { html, type Html } from '../../http/html.ts'
import { collectionTexts } from '../../texts/collection.ts'
import { textField } from './parts.ts'
import type { CollectionNotice, CollectionView } from './view.ts'

/** What can be done with the links that are selected, below the list, in its form. */
export function selectedActions({ language, overview }: CollectionView, notice: CollectionNotice | undefined): Html {
  const texts = collectionTexts[language].selected
  const isOpen = notice?.at === 'links' && notice.problem !== undefined
  const campaigns = overview.campaigns.flatMap(({ value }) => value ?? []).slice(0, 100)
  return html`<details class="card settings-card collection-selected" ${isOpen && html` open`}>
    <summary>
      <h3>${texts.title}</h3>
      <span
        class="settings-value quiet small"
        aria-live="polite"
        data-none="${texts.count.none}"
        data-some="${texts.count.some}"
      ></span>
    </summary>
    <div class="collection-line">
      ${textField({
        id: 'selected-campaign',
        name: 'campaign',
        label: texts.campaign,
        hint: texts.campaignHint,
        attributes: html`type="text" maxlength="200" list="campaigns"`,
      })}
      <datalist id="campaigns">${campaigns.map((value) => html`<option value="${value}"></option>`)}</datalist>
      <button class="plain" name="action" value="campaign">${texts.setCampaign}</button>
    </div>
    <p class="row settings-buttons">
      <button class="plain" name="action" value="pause">${texts.pause}</button>
      <button class="plain" name="action" value="resume">${texts.resume}</button>
      <button class="plain" name="action" value="leave">${texts.leave}</button>
    </p>
    <p class="hint">${texts.leaveHint}</p>
    <details class="settings-step">
      <summary>${texts.delete}</summary>
      <label class="choice"><input type="checkbox" name="sure" value="yes" />${texts.sure}</label>
      <button class="alarm" name="action" value="delete">${texts.deleteNow}</button>
    </details>
  </details>`
}
