import { html, type Html } from '../http/html.ts'
import type { CreationGate } from '../keys/open.ts'
import { creationTexts } from '../texts/creation.ts'
import type { Language } from '../texts/language.ts'
import { hinted } from './hinted.ts'

type Mode = CreationGate['mode']

/** The form field of the access code. */
export const CREATION_KEY = 'creation_key'

/**
 * The input of the access code, where one is needed. It is never filled in by the service: the browser keeps it when the person
 * agrees, its password manager or, by the box, the script of the page (`client/remember-access.ts`).
 * @param form the id of its form, when it stands outside
 */
export function keyInput(mode: Mode, language: Language, form?: string): Html | undefined {
  if (mode !== 'token') return undefined
  const texts = creationTexts[language]
  const marks = html`name="${CREATION_KEY}" required${form !== undefined && html` form="${form}"`}`
  return html`${keyField('creation-key', language, marks)}
    <label class="choice" data-remember hidden><input type="checkbox" autocomplete="off" />${texts.remember}</label>`
}

/** The input alone. @param marks further attributes */
export function keyField(id: string, language: Language, marks: Html = html`name="code" required`): Html {
  const { key, keyHint } = creationTexts[language]
  return hinted(
    { id, label: key, hint: keyHint },
    (attributes) =>
      html`<input
        type="password"
        ${marks}
        maxlength="200"
        autocomplete="current-password"
        spellcheck="false"
        ${attributes}
      />`,
  )
}

/** In place of a form, where nothing can be created. */
export function closedNotice(language: Language): Html {
  const { closedTitle, closed } = creationTexts[language]
  return html`<div class="note" role="status">
    <h2>${closedTitle}</h2>
    <p>${closed}</p>
  </div>`
}

/** The access code that a form has. */
export function keyIn(form: URLSearchParams): string | undefined {
  return form.get(CREATION_KEY)?.trim() || undefined
}
