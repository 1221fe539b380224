import { randomUUID } from 'node:crypto'
import type { Page } from '../http/document.ts'
import { html } from '../http/html.ts'
import type { Problem } from '../http/problem.ts'
import { kinds } from '../links/kinds/index.ts'
import type { FormField, Kind } from '../links/kinds/kind.ts'
import { ownerFields, renderFields, renderProblem, renderUtm, type Values } from './form.ts'
import { reachWarning } from './reach.ts'

const aliasInput: FormField = {
  name: 'alias',
  label: 'Own code',
  input: 'text',
  hint: 'letters, digits, - and _; left empty, you get a random one',
}

/** The fields of the form that creates a link of a kind. */
export function creationFields(kind: Kind): FormField[] {
  return [...kind.form, aliasInput, ...ownerFields]
}

/** What was typed into a form that is shown again. */
export interface Filled {
  values: Values
  utm: Record<string, string>
  problem: Problem
  idempotencyKey: string
}

/**
 * The page that creates a link, one kind at a time.
 * @param origin what the codes that it makes lead to
 */
export function homePage(kind: Kind, origin: string, filled?: Filled): Page {
  const errors = filled?.problem.errors ?? []
  const tabs = kinds.map((each) => {
    const current = each === kind && html` aria-current="page"`
    return html`<a href="/?kind=${each.name}" ${current}>${each.label}</a>`
  })
  return {
    title: 'quirl: short links and QR codes',
    body: html`<main>
      <h1>A short link with a QR code</h1>
      <p>
        No account, no expiry, no watermark. You can change where it leads at any time, also after the code was printed.
      </p>
      ${reachWarning(origin)}
      <nav aria-label="Kind of link">${tabs}</nav>
      <form method="post" action="/?create">
        ${renderProblem(filled?.problem)}
        <input type="hidden" name="kind" value="${kind.name}" />
        <input type="hidden" name="idempotency_key" value="${filled?.idempotencyKey ?? randomUUID()}" />
        ${renderFields(creationFields(kind), filled?.values ?? {}, errors)}
        ${renderUtm(kind, filled?.utm ?? {}, errors)}
        <button>Create</button>
      </form>
      <p class="quiet"><a href="/api/openapi.json">API</a> · <a href="/report">Report a link</a></p>
    </main>`,
  }
}
