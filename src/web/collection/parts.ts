import { html, type Html } from '../../http/html.ts'
import { FORM_KEY } from '../form-idempotency.ts'
import { pathOf, type CollectionNotice, type CollectionView, type FormName } from './view.ts'

/** What became of a form of this part. */
export function noticeOf(notice: CollectionNotice | undefined, at: FormName | undefined): Html | undefined {
  if (notice === undefined || notice.at !== at) return undefined
  const { text, problem } = notice
  if (problem === undefined) return html`<p class="note" role="status">${text}</p>`
  return html`<p class="note alarm" role="alert" tabindex="-1" autofocus>${text}</p>`
}

/** What every form begins with. */
export function formStart({ formKey }: Pick<CollectionView, 'formKey'>): Html {
  return html`<input type="hidden" name="${FORM_KEY}" value="${formKey}" />`
}

/** A form with one action. */
export function actionForm(view: CollectionView, action: string, content: Html): Html {
  return html`<form method="post" action="${pathOf(view)}">
    ${formStart(view)}
    <input type="hidden" name="action" value="${action}" />
    ${content}
  </form>`
}

/** The head of a part that unfolds. */
interface Folded {
  id: string
  title: string
  isOpen: boolean
  /** The present value in a word or two, which is visible while the part is folded. */
  state?: string
  /** How it looks: `quiet` for what is not in use. */
  tone?: 'quiet' | 'alarm' | undefined
}

/** A part that unfolds; open when its form was just used. */
export function folded(part: Folded, body: Html): Html {
  const { id, title, isOpen, state, tone } = part
  const classes = tone === 'quiet' ? 'quiet small' : ['chip', tone].filter(Boolean).join(' ')
  return html`<details class="card settings-card" id="${id}" ${isOpen && html` open`}>
    <summary>
      <h2>${title}</h2>
      ${state !== undefined && html`<span class="settings-value ${classes}">${state}</span>`}
    </summary>
    ${body}
  </details>`
}

/** What was typed into a field of a form that was refused. */
export function typed(own: CollectionNotice | undefined, name: string): string | undefined {
  const value = own?.values?.[name]
  return typeof value === 'string' ? value : undefined
}
