import type { Page } from '../../http/document.ts'
import { html } from '../../http/html.ts'
import { REASON, type FieldError, type Problem } from '../../http/problem.ts'
import { ownValue } from '../../lib/own-value.ts'
import { labelTexts } from '../../texts/labels.ts'
import type { Language } from '../../texts/language.ts'
import { faultText, refusalText } from '../faults.ts'

/** Links that are named for one fault: the others are as those. */
const MAX_NAMED = 10

/** Where a refusal is shown. */
interface Shown {
  language: Language
  title: string
  /** The address of the form. */
  back: string
}

/** Says why codes cannot be printed, or have no images: each fault once, with the links that have it. */
export function labelRefusal(problem: Problem, { language, title, back }: Shown): Page {
  const texts = labelTexts[language].refused
  const faults = Map.groupBy(explained(problem.errors), (error) => sentence(error, language))
  return {
    title,
    lang: language,
    body: html`<main class="problem">
      <h1>${title}</h1>
      ${faults.size === 0 && html`<p>${refusalText(problem, language)}</p>`}
      <ul>
        ${[...faults].map(([text, errors]) => html`<li>${text} ${named(errors, language)}</li>`)}
      </ul>
      <p>${texts.what}</p>
      <p><a href="${back}">${texts.back}</a></p>
    </main>`,
  }
}

/** Where one fault has words for people, those of the API's schema say the same once more. */
function explained(errors: FieldError[]): FieldError[] {
  const some = errors.filter((error) => error[REASON] !== undefined)
  return some.length > 0 ? some : errors
}

/** A fault after the label of its field, as the form has it. */
function sentence(error: FieldError, language: Language): string {
  const field = ownValue(labelTexts[language].refused.fields, error.pointer.split('/')[1] ?? '')
  const text = faultText(error, language)
  return field === undefined ? text : `${field}: ${text}`
}

function named(errors: FieldError[], language: Language) {
  const codes = [...new Set(errors.flatMap((error) => error[REASON]?.of ?? []))]
  if (codes.length === 0) return undefined
  const more = codes.length - MAX_NAMED
  const shown = html`${codes.slice(0, MAX_NAMED).map((code, at) => html`${at > 0 && ', '}<b>${code}</b>`)}`
  return html`(${shown}${more > 0 && ` ${labelTexts[language].refused.more(more)}`})`
}
