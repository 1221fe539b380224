import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { designSection } from '../designer/section.ts'
import { renderProblem } from '../form.ts'
import { ownerStatistics } from '../statistics/owner.ts'
import { linkName } from '../link-name.ts'
import { createdPage, isNew } from './created.ts'
import { destinationSection } from './destination.ts'
import { keepSection } from './keep.ts'
import { sectionNavigation, type SectionName } from './navigation.ts'
import { printPath } from './print-path.ts'
import { deleteSection } from './settings/delete.ts'
import { settingsSection } from './settings/section.ts'
import { ownerTop } from './top.ts'
import type { Notice, OwnerView } from './view.ts'

type SectionOf = (view: OwnerView, notice: Notice | undefined) => Html

/** The sections in order. A section that shows a notice itself has its id, or that of one of its elements, in `at`. */
const sections: Record<SectionName, SectionOf> = {
  statistics: (view) => ownerStatistics({ ...view, print: printPath(view) }),
  destination: destinationSection,
  design: designSection,
  settings: settingsSection,
  delete: deleteSection,
}

/** What the owner of a removed link cannot change. */
const notOfRemoved: ReadonlySet<string> = new Set(['destination', 'design'])

/** The page on which an owner manages a link. */
export function ownerPage(view: OwnerView, notice?: Notice): Page {
  if (isNew(view)) return createdPage(view, notice && topMessage(notice))
  const { link, language, scripts } = view
  const texts = ownerTexts[language]
  const names = (Object.keys(sections) as SectionName[]).filter(
    (name) => link.suspension === null || !notOfRemoved.has(name),
  )
  return {
    title: texts.pageTitle(linkName(link)),
    site: { language },
    styles: ['owner'],
    scripts,
    body: html`<main id="top">
      ${notice !== undefined && notice.at === undefined && topMessage(notice)} ${ownerTop(view, notice)}
      ${keepSection(view)}
      <div class="owner-layout">
        ${sectionNavigation(names, language)}
        <div class="owner-sections">${names.map((name) => sections[name](view, notice))}</div>
      </div>
      <p><a href="/">${texts.another}</a></p>
    </main>`,
  }
}

function topMessage({ text, problem }: Notice): Html | undefined {
  if (problem !== undefined) return renderProblem(problem, text)
  return html`<p class="note" role="status">${text}</p>`
}
