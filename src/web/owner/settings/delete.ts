import type { Page } from '../../../http/document.ts'
import { html, type Html } from '../../../http/html.ts'
import { invalidRequest } from '../../../http/problem.ts'
import { codeKey } from '../../../links/code.ts'
import { deleteTexts } from '../../../texts/delete.ts'
import { foldedSection } from '../folded.ts'
import type { Action, Submission } from '../submission.ts'
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

export const deleteLink: Action = (submission) => {
  const { links, access, form, totals } = submission
  const code = form.get('code') ?? ''
  return submit({ at, pointers: ['/sure'], values: { code } }, submission, async ({ link }) => {
    const isTyped = codeKey(code.trim()) === codeKey(link.code)
    // Who types the code need not wait for the totals, nor depend on them.
    const isTicked = !isTyped && form.get('confirmed') === 'yes' && (await totals(link.id)).scans === 0
    if (!isTyped && !isTicked) throw invalidRequest([{ pointer: '/sure', detail: 'is not confirmed' }])
    return { page: deletedPage((await links.delete(access.credential, undefined)).code, submission) }
  })
}

function deletedPage(code: string, { language, access: { collection } }: Submission): Page {
  const { title, lead, create, toCollection } = deleteTexts[language].page
  return {
    title,
    site: { language },
    styles: ['owner'],
    body: html`<main class="narrow">
      <h1>${title}</h1>
      <p>${lead(code)}</p>
      <p><a class="button" href="${collection ?? '/'}">${collection === undefined ? create : toCollection}</a></p>
    </main>`,
  }
}
