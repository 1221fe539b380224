import { html, type Html } from '../../http/html.ts'
import { collectionTexts } from '../../texts/collection.ts'
import { renderField } from '../owner/settings/field.ts'
import type { CollectionNotice, CollectionView } from './view.ts'

/** What can be done with the links that are selected, below the list, in its form. */
export function selectedActions(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const { language, overview, looks, next, asked } = view
  const isMore = next !== null || asked.cursor !== undefined
  const texts = collectionTexts[language].selected
  const isOpen = notice?.at === 'links' && notice.problem !== undefined
  const campaigns = overview.campaigns.flatMap(({ value }) => value ?? []).slice(0, 100)
  return html`<details class="card settings-card collection-selected" ${isOpen && html` open`}>
    <summary><h3>${texts.title}</h3></summary>
    ${isMore && html`<label class="choice"><input type="checkbox" name="all" value="yes" />${texts.all}</label>`}
    <div class="collection-line">
      ${renderField({
        id: 'selected-campaign',
        name: 'campaign',
        label: texts.campaign,
        hint: texts.campaignHint,
        attributes: html`type="text" maxlength="200" list="campaigns"`,
      })}
      <datalist id="campaigns">${campaigns.map((value) => html`<option value="${value}"></option>`)}</datalist>
      <button class="plain" name="action" value="campaign">${texts.setCampaign}</button>
    </div>
    ${looks.length > 0 && lookChoice(looks, language)}
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

function lookChoice(looks: string[], language: CollectionView['language']): Html {
  const texts = collectionTexts[language].selected
  return html`<div class="collection-line">
    <label for="selected-look">${texts.look}</label>
    <p class="hint" id="selected-look-hint">${texts.lookHint}</p>
    <select id="selected-look" name="look" aria-describedby="selected-look-hint">
      ${looks.map((name) => html`<option>${name}</option>`)}
    </select>
    <button class="plain" name="action" value="look">${texts.setLook}</button>
  </div>`
}
