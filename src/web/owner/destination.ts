import { html, type Html } from '../../http/html.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { changeForm } from './change-form.ts'
import { conflictTable } from './conflict.ts'
import { foldedSection } from './folded.ts'
import { historyPart } from './history.ts'
import { sectionMessage } from './message.ts'
import { rulesPart } from './rules/section.ts'
import type { Notice, OwnerView } from './view.ts'

/** The section of the owner's page about where the link leads: its fields, its rules and its history. */
export function destinationSection(view: OwnerView, notice: Notice | undefined): Html {
  const { link, language } = view
  const own = notice?.at === 'destination' ? notice : undefined
  const isOpen = view.editing !== undefined || ['destination', 'rules', 'history'].includes(notice?.at ?? '')
  const title = ownerTexts[language].sections.destination
  return foldedSection(
    { id: 'destination', title, isOpen },
    html`<div class="card">
        ${own && sectionMessage(own)} ${conflictTable(link, own, language)} ${changeForm(view, own)}
      </div>
      ${rulesPart(view, notice)} ${historyPart(view, notice)}`,
  )
}
