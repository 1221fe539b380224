import type { Difference } from '../../collections/spreadsheet/columns.ts'
import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import type { RowError } from '../../links/bulk/row-results.ts'
import type { Language } from '../../texts/language.ts'
import { problemTexts } from '../../texts/problems.ts'
import { spreadsheetTexts } from '../../texts/spreadsheet.ts'
import { folded } from './parts.ts'
import { pathOf, type CollectionView } from './view.ts'

/** Changes and errors that a page shows; there may be thousands. */
const MAX_SHOWN = 500

/** Where the table of a collection is sent. No code has a dot, so that no link of the collection has this path. */
const sheetPath = (of: Pick<CollectionView, 'token'>) => `${pathOf(of)}/links.csv`

/** The part of the page by which the links are edited in a spreadsheet. */
export function spreadsheetSection(view: CollectionView): Html {
  const texts = spreadsheetTexts[view.language]
  return folded(
    { id: 'spreadsheet', title: texts.title, isOpen: false },
    html`<p>${texts.lead}</p>
      <p><a class="button plain" href="/api/collections/${view.token}/links.csv" download>${texts.download}</a></p>
      <form method="post" action="${sheetPath(view)}" enctype="multipart/form-data">
        <label for="spreadsheet-file">${texts.file}</label>
        <input id="spreadsheet-file" type="file" name="file" accept=".csv,.txt,.tsv,text/csv" required />
        <p class="settings-buttons"><button class="plain">${texts.preview}</button></p>
      </form>`,
  )
}

/** A row that cannot be used, counted from 1, and why. */
export interface FailedRow {
  row: number
  code: string
  error: Pick<RowError, 'code' | 'errors'>
}

/** What a table would change. */
export interface Preview {
  changes: { code: string; differences: Difference[] }[]
  failed: FailedRow[]
  /** What the form sends that makes the change, in characters that no page escapes; undefined when there is none. */
  packed: string | undefined
}

/** Whose page it is. */
interface Shown {
  token: string
  language: Language
}

/** Shows what a table would change, row by row, before it does. */
export function previewPage(shown: Shown, { changes, failed, packed }: Preview): Page {
  const texts = spreadsheetTexts[shown.language]
  const lines = changes.flatMap(({ code, differences }) => differences.map((difference) => ({ code, ...difference })))
  return pageOf(
    shown,
    texts.previewTitle,
    html`<p>${changes.length === 0 ? texts.none : texts.changes(changes.length)}</p>
      ${lines.length > 0 && changesTable(shown.language, lines.slice(0, MAX_SHOWN))}
      ${lines.length > MAX_SHOWN && html`<p>${texts.more(lines.length - MAX_SHOWN)}</p>`} ${failures(shown, failed)}
      ${
        packed !== undefined &&
        html`<form method="post" action="${sheetPath(shown)}" enctype="multipart/form-data">
          <input type="hidden" name="changes" value="${packed}" />
          <p><button>${texts.apply}</button></p>
        </form>`
      }`,
  )
}

/** Says what has changed. */
export function appliedPage(shown: Shown, changed: number, failed: FailedRow[]): Page {
  const texts = spreadsheetTexts[shown.language]
  return pageOf(
    shown,
    texts.doneTitle,
    html`<p class="note" role="status">${texts.done(changed)}</p>
      ${failures(shown, failed)}`,
  )
}

/** Says why a table cannot be used. */
export function refusedPage(shown: Shown, why: string): Page {
  return pageOf(shown, spreadsheetTexts[shown.language].unreadable, html`<p class="note alarm" role="alert">${why}</p>`)
}

function pageOf(shown: Shown, title: string, body: Html): Page {
  const { back } = spreadsheetTexts[shown.language]
  return {
    title,
    site: { language: shown.language },
    styles: ['collection'],
    body: html`<main id="top">
      <h1>${title}</h1>
      ${body}
      <p><a href="${pathOf(shown)}#spreadsheet">${back}</a></p>
    </main>`,
  }
}

function changesTable(language: Language, lines: (Difference & { code: string })[]): Html {
  const texts = spreadsheetTexts[language]
  const value = (text: string) =>
    text === '' ? html`<td class="quiet">${texts.empty}</td>` : html`<td lang="" dir="auto">${text}</td>`
  const heads = [texts.code, texts.field, texts.before, texts.after]
  return html`<div class="sheet-changes">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${lines.map(
          ({ code, column, before, after }) =>
            html`<tr>
              <th scope="row">${code}</th>
              <td>${column}</td>
              ${value(before)} ${value(after)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function failures({ language }: Shown, failed: FailedRow[]): Html | undefined {
  if (failed.length === 0) return undefined
  const texts = spreadsheetTexts[language]
  const { titles } = problemTexts[language]
  const why = ({ code, errors }: FailedRow['error']) => {
    const fields = errors.map(({ pointer }) => pointer.slice(1)).filter((name) => name !== '')
    const title = code === 'unknown_code' ? texts.unknown : titles[code as keyof typeof titles]
    return `${title}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}.`
  }
  return html`<p>${texts.failed(failed.length)}</p>
    <ul>
      ${failed.slice(0, MAX_SHOWN).map(({ row, code, error }) => html`<li>${texts.row(row, code)}: ${why(error)}</li>`)}
    </ul>`
}
