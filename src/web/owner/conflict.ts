import { html, type Html } from '../../http/html.ts'
import { kindOf } from '../../links/kinds/index.ts'
import type { Link } from '../../links/link.ts'
import { historyTexts } from '../../texts/history.ts'
import type { Language } from '../../texts/language.ts'
import { fieldsOfInputs } from '../kind-inputs.ts'
import { fieldName, fieldWords } from './field-words.ts'
import type { Notice } from './view.ts'

/** The fields in which the link as it is now differs from what was typed, side by side. */
export function conflictTable(link: Link, notice: Notice | undefined, language: Language): Html | undefined {
  if (notice?.problem?.code !== 'precondition_failed' || notice.values === undefined) return undefined
  const { target, utm, payload } = link
  const kind = kindOf(link)
  const own = Object.keys(kind.fields.properties).map((name) => [name, payload[name]] as const)
  const stored: Record<string, unknown> = { ...Object.fromEntries(own), target, utm }
  const typed: Record<string, unknown> = { ...fieldsOfInputs(kind, notice.values, language, payload), utm: notice.utm }
  // The form at the top has one field.
  const names = Object.keys(stored).filter((name) => notice.at === 'destination' || Object.hasOwn(typed, name))
  const rows = names
    .map((name) => ({
      name,
      theirs: fieldWords(name, stored[name], language),
      yours: fieldWords(name, typed[name], language),
    }))
    .filter(({ theirs, yours }) => theirs !== yours)
  if (rows.length === 0) return undefined
  const texts = historyTexts[language].conflict
  return html`<table class="owner-conflict">
    <thead>
      <tr>
        <th scope="col">${texts.field}</th>
        <th scope="col">${texts.theirs}</th>
        <th scope="col">${texts.yours}</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ name, theirs, yours }) =>
          html`<tr>
            <th scope="row">${fieldName(link, name, language)}</th>
            <td dir="auto">${theirs}</td>
            <td dir="auto">${yours}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
