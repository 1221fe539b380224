import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { designSection } from './design-section.ts'
import { renderProblem } from '../form.ts'
import { ownerStatistics } from '../statistics/owner.ts'
import { linkName } from '../link-name.ts'
import { createdPage, isNew } from './created.ts'
import { collectionLink, keepSection } from './keep.ts'
import { printPath } from './print-path.ts'
import { deleteSection } from './settings/delete.ts'
import { settingsSection } from './settings/section.ts'
import { ownerTop } from './top.ts'
import type { Notice, OwnerView } from './view.ts'
import type { Language } from '../../texts/language.ts'
import { changeForm } from './change-form.ts'
import { changeMarks, milestonesOf } from './change-marks.ts'
import { conflictTable } from './conflict.ts'
import { foldedSection } from './folded.ts'
import { historyPart } from './history.ts'
import { sectionMessage } from './message.ts'
import { rulesPart } from './rules-section.ts'

/** The sections of the owner's page, in order: the ids of their elements. */
type SectionName = 'statistics' | 'destination' | 'design' | 'settings' | 'delete'

type SectionOf = (view: OwnerView, notice: Notice | undefined) => Html

/** The sections in order. A section that shows a notice itself has its id, or that of one of its elements, in `at`. */
const sections: Record<SectionName, SectionOf> = {
  statistics: (view) =>
    ownerStatistics({ ...view, print: printPath(view), changes: changeMarks(view), milestones: milestonesOf(view) }),
  destination: destinationSection,
  design: designSection,
  settings: settingsSection,
  delete: deleteSection,
}

/** What the owner of a suspended link cannot change. */
const notOfSuspended: ReadonlySet<string> = new Set(['destination', 'design'])

/** The page on which an owner manages a link. */
export function ownerPage(view: OwnerView, notice?: Notice): Page {
  if (isNew(view)) return createdPage(view, notice && topMessage(notice))
  const { link, language, scripts } = view
  const texts = ownerTexts[language]
  const names = (Object.keys(sections) as SectionName[]).filter(
    (name) => link.suspension === null || !notOfSuspended.has(name),
  )
  return {
    title: texts.pageTitle(linkName(link)),
    site: { language },
    styles: ['owner'],
    scripts,
    body: html`<main id="top">
      ${collectionLink(view)} ${notice !== undefined && notice.at === undefined && topMessage(notice)}
      ${ownerTop(view, notice)} ${keepSection(view)}
      <div class="owner-layout">
        ${sectionNavigation(names, language)}
        <div class="owner-sections">${names.map((name) => sections[name](view, notice))}</div>
      </div>
      ${view.access.collection === undefined && html`<p><a href="/">${texts.another}</a></p>`}
    </main>`,
  }
}

function topMessage({ text, problem }: Notice): Html | undefined {
  if (problem !== undefined) return renderProblem(problem, text)
  return html`<p class="note" role="status">${text}</p>`
}

/** The links to the sections, which stay visible; the island marks the one that is being read. */
function sectionNavigation(names: SectionName[], language: Language): Html {
  const texts = ownerTexts[language].sections
  return html`<nav class="owner-nav" aria-label="${texts.label}">
    <a href="#top">${texts.top}</a>
    ${names.map((name) => html`<a href="#${name}">${texts[name]}</a>`)}
  </nav>`
}

/** The section of the owner's page about where the link leads: its fields, its rules and its history. */
function destinationSection(view: OwnerView, notice: Notice | undefined): Html {
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
