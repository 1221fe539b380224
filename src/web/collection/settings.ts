import { html, type Html } from '../../http/html.ts'
import { collectionTexts } from '../../texts/collection.ts'
import { faultText } from '../faults.ts'
import { actionForm, folded, noticeOf, typed } from './parts.ts'
import { renderField } from '../owner/settings/field.ts'
import type { CollectionNotice, CollectionView } from './view.ts'

/** The name of the collection, its key and its end. */
export function settingsSection(view: CollectionView, notice: CollectionNotice | undefined): Html {
  const { language, overview } = view
  const texts = collectionTexts[language].settings
  const own = notice?.at === 'settings' ? notice : undefined
  const nameFault = own?.problem?.errors.find(({ pointer }) => pointer === '/name')
  const name = renderField({
    id: 'setting-name',
    name: 'name',
    label: texts.name,
    value: typed(own, 'name') ?? overview.name ?? '',
    fault: nameFault && faultText(nameFault, language),
  })
  const submit = (text: string, tone: string) =>
    html`<p class="settings-buttons"><button class="${tone}">${text}</button></p>`
  return folded(
    { id: 'settings', title: texts.title, isOpen: own !== undefined },
    html`${noticeOf(notice, 'settings')} ${actionForm(view, 'rename', html`${name} ${submit(texts.save, 'plain')}`)}
      <h3>${texts.rotate}</h3>
      <p>${texts.rotateLead}</p>
      ${actionForm(view, 'rotate', submit(texts.rotateButton, 'plain'))}
      <h3>${texts.end}</h3>
      <p>${texts.endLead}</p>
      ${actionForm(
        view,
        'end',
        html`<label class="choice"><input type="checkbox" name="sure" value="yes" required />${texts.endSure}</label>
          ${overview.links > 0 && html`<label class="choice"><input type="checkbox" name="links" value="yes" />${texts.endLinks}</label>`}
          ${submit(texts.endButton, 'alarm')}`,
      )}`,
  )
}
