import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { writeExactRecords } from '../../lib/csv.ts'
import type { BulkResult } from '../../links/bulk/bulk.ts'
import type { CreatedLink } from '../../links/insert.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import type { Language } from '../../texts/language.ts'
import { CREATION_KEY } from '../creation.ts'
import { faultOf } from './faults.ts'
import { count } from './count.ts'
import { fieldNames } from '../../tables/link-columns.ts'
import type { LinkRow } from '../../tables/records.ts'
import type { Together, Upload } from './upload.ts'
import { saveLink } from '../address-controls.ts'
import { mailTo } from '../mail-to.ts'
import { addressOf } from '../collection/keep.ts'
import { keepTexts } from '../../texts/keep.ts'

/** The rows of a request, and what became of them. */
export interface Results {
  language: Language
  rows: LinkRow[]
  /** What is to be said about how the list was read, and its rows were taken. */
  notes: string[]
  result: BulkResult
  upload: Upload
}

type Failed = Extract<BulkResult['results'][number], { error: object }>

/** The created links of a result, each with its row. */
export function createdOf({ rows, result }: Pick<Results, 'rows' | 'result'>): { row: LinkRow; link: CreatedLink }[] {
  return result.results.flatMap((each, at) => ('code' in each ? [{ row: rows[at] ?? {}, link: each }] : []))
}

/** What is wrong with the rows of a request, and how many are ready. */
export function faultsNotice({ language, rows, notes, result }: Results): Html {
  const texts = bulkTexts[language]
  const failed = result.results.filter((each): each is Failed => 'error' in each)
  const ready = rows.length - failed.length
  return html`${notes.map((text) => html`<p class="note">${text}</p>`)}
  ${ready > 0 && html`<p class="note" role="status">${count(texts.checkedRows, ready)}</p>`}
  ${
    failed.length > 0 &&
    html`<div class="note alarm" role="alert">
      <p>${count(texts.faultyRows, failed.length)}</p>
      <ul class="bulk-faults">
        ${failed.map(({ index, error }) => {
          const row = rows[index] ?? {}
          const { field, text } = faultOf(error, row, texts.faults)
          const cell = shortened(row[field] ?? row.target ?? '')
          const quoted = cell && html`<q><span lang="">${cell}</span></q>`
          return html`<li>${texts.row} ${index + 1}, ${texts.fields[field]} ${quoted}: ${text}</li>`
        })}
      </ul>
    </div>`
  }`
}

/** The failed rows as a list, to be mended. */
export function failedList({ rows, result }: Results): string {
  const failed = result.results.flatMap((each, at) => ('error' in each ? [rows[at] ?? {}] : []))
  if (failed.length === 0) return ''
  return writeExactRecords([[...fieldNames], ...failed.map((row) => fieldNames.map((name) => row[name] ?? ''))])
}

/** The collection that the links are in: the rows that are mended join it. */
export function togetherOf({ result, upload: { together } }: Pick<Results, 'result' | 'upload'>): Together {
  const { collection } = result
  return collection === undefined ? together : { isChosen: true, name: collection.name ?? '', token: collection.token }
}

/**
 * The page of the created links, with their keys.
 * @param form for the rows that were not created
 */
export function resultsPage(results: Results, origin: string, form: Html | undefined): Page {
  const { language, notes } = results
  const texts = bulkTexts[language]
  const created = createdOf(results)
  return {
    title: texts.title,
    site: { language, section: 'bulk' },
    styles: ['bulk'],
    body: html`<main class="bulk">
      <h1>${count(texts.done, created.length)}</h1>
      ${form === undefined && notes.map((text) => html`<p class="note">${text}</p>`)} ${keysNote(results, origin)}
      ${resultsTable(texts, created)}
      ${form === undefined ? html`<p><a class="button plain" href="/bulk">${texts.again}</a></p>` : form}
    </main>`,
  }
}

/** How their owner finds the links again: by the address of their collection, or by the list of their own. */
function keysNote(results: Results, origin: string): Html {
  const { language, upload } = results
  const texts = bulkTexts[language]
  const { isChosen, name, token } = togetherOf(results)
  if (!isChosen || token === undefined)
    return html`<div class="note warning">
      <h2>${texts.keysTitle}</h2>
      <p>${texts.keys}</p>
      ${filesForm(texts, upload)}
    </div>`
  const { path, address, message, fileName } = addressOf(origin, token, name, language)
  const { title, lead, each, save } = texts.together
  return html`<div class="note warning">
    <h2>${title}</h2>
    <p>${count(lead, createdOf(results).length)}</p>
    <p class="keep-address"><a href="${path}">${address}</a></p>
    <p class="row">
      <a class="button" href="${mailTo(message)}">${keepTexts[language].send}</a>
      ${saveLink(save, fileName, message.text)}
    </p>
    <p>${each}</p>
    ${filesForm(texts, upload)}
  </div>`
}

/** Requests the files of the same links: the service returns those of an earlier request with the same key. */
function filesForm(texts: (typeof bulkTexts)['en'], { text, key, creationKey, together }: Upload): Html {
  const { isChosen, name, token } = together
  return html`<form method="post" action="/bulk" enctype="multipart/form-data">
    <input type="hidden" name="idempotency_key" value="${key}" />
    ${creationKey && html`<input type="hidden" name="${CREATION_KEY}" value="${creationKey}" />`}
    ${
      isChosen &&
      html`<input type="hidden" name="together" value="yes" />
        <input type="hidden" name="collection_name" value="${name}" />
        ${token !== undefined && html`<input type="hidden" name="collection" value="${token}" />`}`
    }
    <textarea name="list" hidden aria-label="${texts.text}">${text}</textarea>
    <p class="row">
      <button ${isChosen && html` class="plain"`} name="action" value="csv">${texts.downloadCsv}</button>
      <button class="plain" name="action" value="zip">${texts.downloadZip}</button>
      <button class="plain" name="action" value="sheet">${texts.sheet}</button>
    </p>
  </form>`
}

function resultsTable(texts: (typeof bulkTexts)['en'], created: { row: LinkRow; link: CreatedLink }[]): Html {
  return html`<div class="bulk-scroll" role="region" aria-label="${texts.rowsRegion}" tabindex="0">
    <table class="bulk-table">
      <thead>
        <tr>
          <th scope="col">${texts.shortLink}</th>
          <th scope="col">${texts.fields.target}</th>
          <th scope="col">${texts.fields.title}</th>
          <th scope="col">${texts.key}</th>
        </tr>
      </thead>
      <tbody>
        ${created.map(
          ({ row, link }) =>
            html`<tr>
              <th scope="row"><a href="${link.short_url}">${link.short_url.replace(/^https?:\/\//, '')}</a></th>
              <td data-label="${texts.fields.target}">${shortened(row.target ?? '')}</td>
              <td data-label="${texts.fields.title}">${row.title}</td>
              <td><a href="/m/${link.token}" aria-label="${texts.edit} ${link.code}">${texts.edit}</a></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** A text of a row, short enough for a cell. */
function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text
}
