import { randomUUID } from 'node:crypto'
import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { UNDO_MS, type DeletedLink } from '../../links/deleted-store.ts'
import { deleteTexts } from '../../texts/delete.ts'
import type { Language } from '../../texts/language.ts'
import type { OwnerAccess } from './access.ts'
import { ownerForm, twoSteps } from './settings/card.ts'
import type { Action } from './submission.ts'
import { withTime } from './time.ts'

/** What the owner's page is while its link is deleted and can be brought back. */
export function deletedPage(
  { link, deletedAt }: DeletedLink,
  { access, language, scripts }: { access: OwnerAccess; language: Language; scripts: string[] },
): Page {
  const texts = deleteTexts[language].page
  const form = (action: string, button: Html) => ownerForm({ access, formKey: randomUUID() }, action, button)
  return {
    title: texts.title,
    site: { language },
    styles: ['owner'],
    scripts,
    body: html`<main class="narrow">
      <h1>${texts.title}</h1>
      <p>${texts.lead(link.code)}</p>
      <div class="card">
        <p>${withTime(texts.until, deletedAt + UNDO_MS, language)}</p>
        ${form('undelete', html`<button>${texts.undelete}</button>`)}
      </div>
      ${next(access, language)}
      ${twoSteps(
        texts.forGood,
        html`<p>${texts.forGoodLead}</p>
          ${form('delete-for-good', html`<button class="alarm">${texts.forGoodButton}</button>`)}`,
      )}
    </main>`,
  }
}

/** Brings the link back, with all that belongs to it. */
export const undelete: Action = async ({ links, access, client }) => {
  await links.undelete(access.credential, client)
  return { done: 'undeleted' }
}

/** Deletes a link for good that could be brought back. */
export const deleteForGood: Action = async ({ links, access, language }) => {
  // Another tab may have brought it back: this page has not asked whether that is to be deleted.
  if ((await links.findDeleted(access.credential)) === undefined) {
    await links.requireToken(access.credential)
    return { done: 'undeleted' }
  }
  const { code } = await links.delete(access.credential, undefined)
  return { page: gonePage(code, access, language) }
}

/** Where its owner goes on. */
function next({ collection }: OwnerAccess, language: Language): Html {
  const { create, toCollection } = deleteTexts[language].page
  return html`<p><a href="${collection ?? '/'}">${collection === undefined ? create : toCollection}</a></p>`
}

function gonePage(code: string, access: OwnerAccess, language: Language): Page {
  const { title, gone } = deleteTexts[language].page
  return {
    title,
    site: { language },
    styles: ['owner'],
    body: html`<main class="narrow">
      <h1>${title}</h1>
      <p>${gone(code)}</p>
      ${next(access, language)}
    </main>`,
  }
}
