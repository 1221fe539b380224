import { html, type Html } from '../../http/html.ts'
import type { Notice } from './view.ts'

/** What became of a form, in its section. The browser focuses the message of a problem that is not one of a field. */
export function sectionMessage({ text, problem, isWarning = false }: Notice): Html {
  if (problem === undefined) return html`<p class="note${isWarning && ' warning'}" role="status">${text}</p>`
  const isMarked = problem.errors.length > 0
  return html`<p class="note alarm" role="alert" ${!isMarked && html` tabindex="-1" autofocus`}>${text}</p>`
}
