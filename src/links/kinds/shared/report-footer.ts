import { html, type Html } from '../../../http/html.ts'
import { visitorTexts } from '../../../texts/visitor.ts'
import type { Viewer } from '../kind.ts'

/** The link below a page of a kind that leads to the form for reports; nothing when its address is unknown. */
export function reportFooter(code: string, { language, service }: Viewer): Html | false {
  if (service === undefined) return false
  return html`<footer><a href="${service}/report?code=${code}">${visitorTexts[language].report}</a></footer>`
}
