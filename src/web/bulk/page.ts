import { randomUUID } from 'node:crypto'
import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { MAX_ROWS } from '../../links/bulk/bulk.ts'
import type { CreationGate } from '../../keys/open.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import { collectionTexts } from '../../texts/collection.ts'
import type { Language } from '../../texts/language.ts'
import { fillText } from '../../lib/fill-text.ts'
import { closedNotice, keyInput } from '../creation.ts'
import { hinted } from '../hinted.ts'
import { reachabilityWarning } from '../reachability.ts'
import { islandTexts } from './island-texts.ts'
import { lookStep, type LookStep } from './look-step.ts'
import type { Together, Upload } from './upload.ts'

/** The id of the form. */
export const BULK_FORM = 'bulk-form'

/** What the page of the form shows. */
export interface BulkView {
  language: Language
  origin: string
  creation: CreationGate['mode']
  /** Above the form: what became of the last request. */
  notice?: Html
  /** What the client sent last. */
  sent?: SentList
  /** The scripts of the page, and what they need. */
  island?: { scripts: string[]; workbook: string; codeText: string; look: LookStep } | undefined
}

/** What the form is filled with. */
export type SentList = Pick<Upload, 'text' | 'key' | 'together'>

/** The page that creates many links, with its form. */
export function bulkPage({ language, origin, creation, notice, sent, island }: BulkView): Page {
  const texts = bulkTexts[language]
  const data =
    island &&
    html`data-texts="${JSON.stringify(islandTexts(language))}" data-code-text="${island.codeText}"
    data-workbook="${island.workbook}"`
  return {
    title: texts.title,
    description: texts.description,
    site: { language, section: 'bulk' },
    styles: ['bulk'],
    ...(island && { scripts: island.scripts }),
    body: html`<main class="bulk">
      <h1>${texts.title}</h1>
      ${creation !== 'closed' && html`<p class="bulk-lead">${texts.lead}</p>`} ${reachabilityWarning(origin, language)}
      ${notice} ${keyInput(creation, language, BULK_FORM)}
      ${
        creation === 'closed'
          ? closedNotice(language)
          : html`<div data-bulk ${data}>
                <div class="columns">${bulkForm(language, sent)} ${help(language)}</div>
              </div>
              ${island && lookStep(language, island.look)}`
      }
    </main>`,
  }
}

const unsent = (): SentList => ({
  text: '',
  key: randomUUID(),
  together: { isChosen: true, name: '', token: undefined },
})

/** The form of a list. */
export function bulkForm(language: Language, { text, key, together }: SentList = unsent()): Html {
  const texts = bulkTexts[language]
  return html`<form id="${BULK_FORM}" class="card bulk-form" method="post" action="/bulk" enctype="multipart/form-data">
    <input type="hidden" name="idempotency_key" value="${key}" />
    <div class="bulk-drop">
      ${hinted(
        { id: 'bulk-file', label: texts.file, hint: texts.fileHint },
        (attributes) =>
          html`<input
            type="file"
            name="file"
            accept=".csv,.tsv,.txt,.xlsx,text/csv,text/plain,text/tab-separated-values"
            ${attributes}
          />`,
      )}
    </div>
    ${hinted(
      { id: 'bulk-list', label: texts.text, hint: texts.textHint },
      (attributes) =>
        html`<textarea name="list" rows="7" spellcheck="false" autocapitalize="none" ${attributes}>${text}</textarea>`,
    )}
    ${togetherFields(language, together)}
    <p class="row bulk-actions">
      <button name="action" value="check">${texts.show}</button>
      <button class="plain" name="action" value="create">${texts.create}</button>
    </p>
    <p class="hint bulk-plain">${fillText(texts.plainLimit, { rows: MAX_ROWS })}</p>
  </form>`
}

/** Whether the links are kept together in a collection: in that of an earlier list, or in one of a name. */
function togetherFields(language: Language, { isChosen, name, token }: Together): Html {
  const texts = bulkTexts[language].together
  const shown = name || collectionTexts[language].unnamed
  return html`<fieldset class="bulk-together">
    <label class="choice"
      ><input type="checkbox" name="together" value="yes" ${isChosen && html` checked`} />${
        token === undefined ? texts.box : fillText(texts.into, { name: shown })
      }</label
    >
    <p class="hint">${texts.hint}</p>
    ${
      token === undefined
        ? html`<label for="bulk-collection">${texts.name}</label>
            <input
              id="bulk-collection"
              name="collection_name"
              type="text"
              maxlength="100"
              value="${name}"
              dir="auto"
            />`
        : html`<input type="hidden" name="collection_name" value="${name}" />
            <input type="hidden" name="collection" value="${token}" />`
    }
  </fieldset>`
}

function help(language: Language): Html {
  const texts = bulkTexts[language]
  return html`<aside class="bulk-help" aria-labelledby="bulk-help">
    <h2 id="bulk-help">${texts.helpTitle}</h2>
    <p>${texts.help}</p>
    <dl>
      ${Object.entries(texts.fieldHelp).map(([name, text]) => {
        return html`<dt>${texts.fields[name as keyof typeof texts.fieldHelp]}</dt>
          <dd>${text}</dd>`
      })}
    </dl>
    <p class="quiet">${texts.helpNames}</p>
    <p><a href="/bulk/sample.csv" download>${texts.sample}</a></p>
  </aside>`
}
