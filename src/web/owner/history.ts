import { isUnknown } from './access.ts'
import { isDeepStrictEqual } from 'node:util'
import { html, type Html } from '../../http/html.ts'
import { Problem } from '../../http/problem.ts'
import { revertBody, type Revision } from '../../links/history/history.ts'
import { historyTexts } from '../../texts/history.ts'
import { refusalText } from '../faults.ts'
import { fieldName, fieldWords } from './field-words.ts'
import { sectionMessage } from './message.ts'
import { ifMatchOf, type Action } from './submission.ts'
import { timeElement, withTime } from './time.ts'
import type { Notice, OwnerView } from './view.ts'

/** Revisions that are shown at once; the others are folded. */
const SHOWN = 5

/** The revisions of a link, each with what it has changed, and a button that goes back to it. */
export function historyPart(view: OwnerView, notice: Notice | undefined): Html {
  const { history, language } = view
  const texts = historyTexts[language]
  const own = notice?.at === 'history' ? notice : undefined
  const older = history.slice(SHOWN)
  const listOf = (revisions: Revision[]) =>
    html`<ul class="owner-history">
      ${revisions.map((revision) => item(view, revision))}
    </ul>`
  return html`<div id="history">
    <h3>${texts.title}</h3>
    ${own && sectionMessage(own)}
    <p class="quiet">${history.length > 1 ? texts.lead : texts.none}</p>
    ${history.length > 1 && listOf(history.slice(0, SHOWN))}
    ${
      older.length > 0 &&
      html`<details>
        <summary>${texts.older(older.length)}</summary>
        ${listOf(older)}
      </details>`
    }
  </div>`
}

function item({ link, access, formKey, language }: OwnerView, { revision, at, changes }: Revision): Html {
  const texts = historyTexts[language]
  const isPresent = revision === link.revision
  return html`<li>
    <p class="row">${timeElement(at, language)} ${isPresent && html`<span class="chip">${texts.present}</span>`}</p>
    ${changes === null ? html`<p class="quiet">${texts.first}</p>` : changeList(link, changes, language)}
    ${
      !isPresent &&
      html`<form method="post" action="${access.page}">
        <input type="hidden" name="action" value="revert" />
        <input type="hidden" name="idempotency_key" value="${formKey}" />
        <input type="hidden" name="revision" value="${link.revision}" />
        <button class="plain" name="to" value="${revision}">
          ${texts.revert}<span class="unseen"> ${withTime(texts.of, at, language)}</span>
        </button>
      </form>`
    }
  </li>`
}

function changeList(
  link: OwnerView['link'],
  changes: NonNullable<Revision['changes']>,
  language: OwnerView['language'],
): Html {
  const { before, after, unlisted } = historyTexts[language]
  if (Object.keys(changes).length === 0) return html`<p class="quiet">${unlisted}</p>`
  return html`<dl>
    ${Object.entries(changes).map(
      ([name, change]) =>
        html`<dt>${fieldName(link, name, language)}</dt>
          <dd>
            <del dir="auto"><span class="unseen">${before}: </span>${fieldWords(name, change.before, language)}</del>
            <ins dir="auto"><span class="unseen">${after}: </span>${fieldWords(name, change.after, language)}</ins>
          </dd>`,
    )}
  </dl>`
}

/** Goes back to an earlier revision; a second click finds it done. */
export const revert: Action = async ({ links, change, access, form, language }) => {
  const owned = await links.readByToken(access.credential)
  const revisions = await links.history(owned)
  const texts = historyTexts[language]
  const done = { done: 'reverted', at: 'history' }
  try {
    const body = revertBody(revisions, Number(form.get('to')))
    if (isDeepStrictEqual(revisions[0]?.snapshot, body)) return done
    await change(owned, body, { ifMatch: ifMatchOf(form) })
    return done
  } catch (error) {
    if (!(error instanceof Problem) || isUnknown(error)) throw error
    const isOvertaken = error.code === 'precondition_failed' || error.code === 'unknown_revision'
    const text = isOvertaken ? texts.overtaken : texts.refused(refusalText(error, language))
    return { refused: { owned: await links.readByToken(access.credential), at: 'history', text, problem: error } }
  }
}
