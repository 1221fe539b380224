import { html, type Html } from '../../../http/html.ts'
import { invalidRequest } from '../../../http/problem.ts'
import { codeKey } from '../../../links/code.ts'
import { deleteTexts } from '../../../texts/delete.ts'
import { foldedSection } from '../folded.ts'
import type { Action } from '../submission.ts'
import type { Notice, OwnerView } from '../view.ts'
import { ownerForm, renderNotice } from './card.ts'
import { isFaulty, renderChoice, renderField, typedInto } from './field.ts'
import { submit } from './submit.ts'

/** The id of the section. */
const at = 'delete'

/** The section that deletes the link. A link that was, or may have been, scanned may be printed: its owner types the code. */
export function deleteSection(view: OwnerView, notice: Notice | undefined): Html {
  const { language, access, totals } = view
  const texts = deleteTexts[language]
  const own = notice?.at === at ? notice : undefined
  const isUnscanned = totals?.scans === 0
  const form = html`${isUnscanned ? tick(view, own) : codeField(view, own)}
    <button class="alarm">${texts.button}</button>`
  return foldedSection(
    { id: at, title: texts.title, isOpen: own !== undefined },
    html`<div class="card">
      ${own && renderNotice(own)}
      <p>${texts.lead}</p>
      <ul>
        ${texts.what(totals?.scans).map((line) => html`<li>${line}</li>`)}
      </ul>
      ${totals === undefined && html`<p>${texts.uncounted}</p>`}
      ${!isUnscanned && html`<p><a href="${access.api}/scans.csv" download>${texts.export}</a></p>`}
      ${ownerForm(view, 'delete', form)}
    </div>`,
  )
}

function tick({ language }: OwnerView, own: Notice | undefined): Html {
  const { sure, sureFault } = deleteTexts[language]
  const fault = isFaulty(own, '/sure') ? sureFault : undefined
  return renderChoice({ name: 'confirmed', value: 'yes', label: sure, fault, isRequired: true })
}

function codeField({ language, link }: OwnerView, own: Notice | undefined): Html {
  const texts = deleteTexts[language]
  return renderField({
    name: 'code',
    label: texts.code(link.code),
    hint: texts.codeHint,
    value: typedInto(own, 'code') ?? '',
    fault: isFaulty(own, '/sure') ? texts.codeFault(link.code) : undefined,
    attributes: html`type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required`,
  })
}

/** The page then says that the link is deleted, and brings it back. */
export const deleteLink: Action = (submission) => {
  const { links, access, form, totals } = submission
  const code = form.get('code') ?? ''
  return submit({ at, pointers: ['/sure'], values: { code } }, submission, async ({ link }) => {
    const isTyped = codeKey(code.trim()) === codeKey(link.code)
    // Who types the code need not wait for the totals, nor depend on them.
    const isTicked = !isTyped && form.get('confirmed') === 'yes' && (await totals(link.id)).scans === 0
    if (!isTyped && !isTicked) throw invalidRequest([{ pointer: '/sure', detail: 'is not confirmed' }])
    await links.deleteWithUndo(access.credential, undefined)
    return { done: 'deleted' }
  })
}
