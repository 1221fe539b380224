import { html, type Html } from '../../../http/html.ts'
import { settingsTexts } from '../../../texts/settings.ts'
import { filledFields } from '../../form-body.ts'
import { ifMatchOf, type Action } from '../submission.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId, ownerForm, renderCard } from './card.ts'
import { isFaulty, renderField, typedInto } from './field.ts'
import { submit } from './submit.ts'

/** The title and the campaign, which only the owner sees. */
export function namesCard(view: OwnerView, notice: Notice | undefined): Html {
  const { link, language } = view
  const texts = settingsTexts[language].names
  const own = notice?.at === cardId('names') ? notice : undefined
  const field = (name: 'title' | 'campaign', label: string) =>
    renderField({
      name,
      label,
      value: typedInto(own, name) ?? link[name] ?? '',
      fault: isFaulty(own, `/${name}`) ? texts.tooLong : undefined,
    })
  const form = html`<input type="hidden" name="revision" value="${link.revision}" />
    <div class="settings-pair">
      <div>${field('title', texts.name)}</div>
      <div>${field('campaign', texts.campaign)}</div>
    </div>
    <button>${texts.button}</button>`
  const body = html`<p class="quiet">${texts.lead}</p>
    ${ownerForm(view, 'names', form)}`
  return renderCard(
    { name: 'names', title: texts.title, state: link.title?.trim() || undefined, tone: 'quiet', body },
    notice,
  )
}

const fields = [
  { name: 'title', label: '', input: 'text' as const },
  { name: 'campaign', label: '', input: 'text' as const },
]

export const saveNames: Action = (submission) => {
  const { form } = submission
  const typed = Object.fromEntries(fields.map(({ name }) => [name, form.get(name) ?? '']))
  const settings = { at: cardId('names'), pointers: ['/title', '/campaign'], values: typed }
  return submit(settings, submission, async (owned) => {
    const { title = null, campaign = null } = filledFields(form, fields)
    await submission.change(owned, { title, campaign }, { ifMatch: ifMatchOf(form) })
    return { done: 'named', at: settings.at }
  })
}
