import { followSections } from '../follow-sections.ts'
import { enhanceRows } from '../link-rows.ts'
import { loadDesigner } from '../load-designer.ts'
import { followRuleEditor } from '../rule-editor.ts'
import { locales, type Language } from '../../../texts/language.ts'

followSections()
showLocalTimes()
followRuleEditor()
loadDesigner()
for (const list of document.querySelectorAll<HTMLElement>('#destination .link-rows')) enhanceRows(list)

/** Shows the times of the page, which are in UTC, in the time zone of the browser, as the statistics do. */
function showLocalTimes(): void {
  const locale = locales[document.documentElement.lang as Language]
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-local]'))
    element.textContent = format.format(new Date(element.dateTime))
}
