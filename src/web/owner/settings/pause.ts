import { html, type Html } from '../../../http/html.ts'
import { settingsTexts } from '../../../texts/settings.ts'
import type { Action } from '../submission.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId, ownerForm, renderCard } from './card.ts'
import { submit } from './submit.ts'

/** Pauses and resumes the link. */
export function pauseCard(view: OwnerView, notice: Notice | undefined): Html {
  const texts = settingsTexts[view.language].pause
  const { active } = view.link
  const button = html`<button class="plain">${active ? texts.pause : texts.resume}</button>`
  const body = html`<p class="quiet">${active ? texts.lead : texts.isPaused}</p>
    ${ownerForm(view, active ? 'pause' : 'resume', button)}`
  const state = active ? texts.live : texts.paused
  return renderCard({ name: 'pause', title: texts.title, state, tone: active ? undefined : 'warning', body }, notice)
}

function setActive(active: boolean): Action {
  const at = cardId('pause')
  return (submission) =>
    submit({ at, pointers: [] }, submission, async (owned) => {
      await submission.change(owned, { active })
      return { done: active ? 'resumed' : 'paused', at }
    })
}

export const pauseLink = setActive(false)
export const resumeLink = setActive(true)
