import { randomUUID } from 'node:crypto'
import type { Page } from '../http/document.ts'
import { html } from '../http/html.ts'

import { kinds } from '../links/kinds/index.ts'
import type { FormField, Kind } from '../links/kinds/kind.ts'
import { ownerFields, renderFields, renderProblem, renderUtm } from './form.ts'
import { reachabilityWarning } from './reachability.ts'
import type { TypedInput } from './typed-input.ts'

const aliasInput: FormField = {
  name: 'alias',
  label: 'Custom code',
  input: 'text',
  hint: 'letters, digits, - and _; leave empty for a random code',
}

/** The fields of the form that creates a link of a kind. */
export function creationFields(kind: Kind): FormField[] {
  return [...kind.form, aliasInput, ...ownerFields]
}

/** A refused form, to be shown again. */
export interface RefusedForm extends TypedInput {
  idempotencyKey: string
}

/**
 * The page that creates a link, one kind at a time.
 * @param origin of the short links that it creates
 */
export function homePage(kind: Kind, origin: string, refused?: RefusedForm): Page {
  const errors = refused?.problem.errors ?? []
  const tabs = kinds.map((each) => {
    const current = each === kind && html` aria-current="page"`
    return html`<a href="/?kind=${each.name}" ${current}>${each.label}</a>`
  })
  return {
    title: 'quirl: short links and QR codes',
    site: { language: 'en', section: 'create' },
    body: html`<main>
      <h1>A short link with a QR code</h1>
      <p>
        No account, no expiry, no watermark. You can change where it leads at any time, even after the code is printed.
      </p>
      ${reachabilityWarning(origin)}
      <nav class="tabs" aria-label="Kind of link">${tabs}</nav>
      <form method="post" action="/?create">
        ${renderProblem(refused?.problem)}
        <input type="hidden" name="kind" value="${kind.name}" />
        <input type="hidden" name="idempotency_key" value="${refused?.idempotencyKey ?? randomUUID()}" />
        ${renderFields(creationFields(kind), refused?.values ?? {}, errors)}
        ${renderUtm(kind, refused?.utm ?? {}, errors)}
        <button>Create</button>
      </form>
    </main>`,
  }
}
