import { hash, randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage } from '../../http/accept.ts'
import { addVary } from '../../http/compress.ts'
import { sendPage, type Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { Problem } from '../../http/problem.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import type { BulkOptions, BulkResult } from '../../links/bulk/bulk.ts'
import { writeCsv } from '../../links/bulk/bulk-csv.ts'
import { sendCsv, sendZip } from '../../links/bulk/bulk-files.ts'
import { clientOf, type WriteNeeds } from '../../links/api/write-needs.ts'
import type { CreationGate } from '../../keys/open.ts'
import type { Limits } from '../../limits/open.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import type { Language } from '../../texts/language.ts'
import { problemTexts } from '../../texts/problems.ts'
import { scriptsOf, type Assets } from '../assets.ts'
import type { DesignerPictures } from '../designer/pictures.ts'
import { keyInput } from '../creation.ts'
import { refusalText } from '../faults.ts'
import { formOf } from '../form-body.ts'
import { fillText } from '../../lib/fill-text.ts'
import { count } from './count.ts'
import { BULK_FORM, bulkForm, bulkPage, type BulkView } from './page.ts'
import { createdOf, failedList, faultsNotice, resultsPage, togetherOf, type Results } from './results.ts'
import { bodyOf } from './rows.ts'
import { readList, readUpload, type Upload } from './upload.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { createdTexts } from '../../texts/created.ts'

/** How long visits may wait while codes are drawn, in milliseconds. */
const SLICE_MS = 5

/** What the page needs from the rest of the program. */
export interface BulkPageNeeds extends WriteNeeds {
  creation: Pick<CreationGate, 'mode' | 'require'>
  codeText: (code: string, origin: string) => string
  codeSvg: (code: string, origin: string) => string
  assets: Pick<Assets, 'islands' | 'font'>
  pictures: DesignerPictures
  /** Resolves when the next file of an archive may be drawn. */
  turnToRender: Limits['turnToRender']
}

/** The scripts of the page, with the text of a QR code, in which "code" stands for the code. */
export function islandOf(
  { assets, codeText, origin, pictures }: BulkPageNeeds,
  request: FastifyRequest,
): BulkView['island'] {
  const scripts = scriptsOf(assets.islands, 'bulk')
  const [workbook, designer] = [assets.islands.get('workbook'), assets.islands.get('design')]
  return scripts.length === 0 || workbook === undefined || designer === undefined
    ? undefined
    : {
        scripts,
        workbook,
        codeText: codeText('{code}', origin.of(request)),
        look: { script: designer, font: assets.font, pictures },
      }
}

/** Checks the rows of the form, creates their links, or returns a file of links that it has created before. */
export async function takeList(
  needs: BulkPageNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const language = pageLanguage(request)
  const upload = readUpload(formOf(request.body), bulkTexts[language])
  addVary(reply, 'accept-language')
  await forbidCaching(request, reply)
  const view = (notice: Html): BulkView => {
    return {
      language,
      origin: needs.origin.of(request),
      creation: needs.creation.mode,
      notice,
      sent: upload,
      island: islandOf(needs, request),
    }
  }
  try {
    await needs.creation.require(request, reply, upload.creationKey)
    const { rows, notes } = await readList(upload, bulkTexts[language])
    const trimmed = new Set<number>()
    const onTrimmedIn = (row: number) => () => void trimmed.add(row)
    const run = () => create(needs, request, reply, { rows: rows.map(bodyOf), upload, onTrimmedIn })
    const result = await run()
    if (trimmed.size > 0) notes.push(count(bulkTexts[language].trimmedRows, trimmed.size))
    const results = { language, rows, notes, upload, result }
    const isDone = createdOf(results).length > 0
    return isDone
      ? await sendResults(needs, request, reply, results)
      : sendPage(reply.code(resultStatus(results)), bulkPage(view(faultsNotice(results))))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    reply.code(error.status).headers(error.headers)
    const text = problemText(error, language)
    return sendPage(reply, bulkPage(view(html`<p class="note alarm" role="alert">${text}</p>`)))
  }
}

/** A request that creates nothing has the status of the API. */
function resultStatus({ upload, result }: Results): number {
  return upload.action === 'check' && result.failed < result.results.length ? 200 : 400
}

async function create(
  needs: BulkPageNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  { rows, upload, onTrimmedIn }: { rows: unknown[]; upload: Upload } & Pick<BulkOptions, 'onTrimmedIn'>,
): Promise<BulkResult> {
  const dryRun = upload.action === 'check'
  const { isChosen, name, token } = upload.together
  const text = JSON.stringify(isChosen ? { rows, name, token } : rows)
  // Changed rows are another request.
  const idempotentRequest = dryRun ? undefined : { key: `${upload.key} ${hash('sha256', text)}`, request: text }
  try {
    return await needs.links.createBulk(rows, clientOf(needs, request, reply), {
      idempotentRequest,
      ...(isChosen && (token === undefined ? { newCollection: { name: name || null } } : { collection: token })),
      atomic: false,
      dryRun,
      onTrimmedIn,
    })
  } catch (error) {
    if (error instanceof Problem && error.code === 'nothing_created') return error.members as BulkResult
    throw error
  }
}

async function sendResults(
  needs: BulkPageNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  results: Results,
): Promise<FastifyReply> {
  const { rows, result, upload, language } = results
  const svgOf = (code: string) => needs.codeSvg(code, needs.origin.of(request))
  const csv = () => writeCsv(rows.map(bodyOf), result)
  switch (upload.action) {
    case 'csv':
      return sendCsv(reply, await csv())
    case 'zip':
      return sendZip(reply, {
        csv: await csv(),
        rows: rows.map(bodyOf),
        result,
        names: 'code',
        ending: 'svg',
        turn: () => needs.turnToRender(request),
        draw: async ({ code }) => Buffer.from(svgOf(code)),
      })
    case 'sheet':
      return sendPage(reply, await sheetPage(results, svgOf))
    default: {
      const failed = failedList(results)
      const sent = { text: failed, key: randomUUID(), together: togetherOf(results) }
      const mend = html`<h2>${bulkTexts[language].mend}</h2>
        ${faultsNotice(results)} ${keyInput(needs.creation.mode, language, BULK_FORM)} ${bulkForm(language, sent)}`
      const origin = needs.origin.of(request)
      return sendPage(reply, resultsPage(results, origin, failed === '' ? undefined : mend))
    }
  }
}

function problemText(problem: Problem, language: Language): string {
  const { problems } = bulkTexts[language]
  if (problem.code === 'malformed_csv' || problem.code === 'body_too_large') return problem.message
  if (problem.code === 'key_required' || problem.code === 'creation_closed')
    return problemTexts[language].titles[problem.code]
  if (problem.code !== 'rate_limited') return fillText(problems.failed, { detail: refusalText(problem, language) })
  const minutes = Math.ceil(Number(problem.headers['retry-after'] ?? 60) / 60)
  return minutes === 1 ? problems.limitedOne : fillText(problems.limited, { minutes })
}

/** A page of labelled QR codes, which a browser prints on A4. */
async function sheetPage(results: Results, svgOf: (code: string) => string): Promise<Page> {
  const { language } = results
  const texts = bulkTexts[language]
  const labels: Html[] = []
  const pause = yieldEvery(SLICE_MS)
  for (const { row, link } of createdOf(results)) {
    const [host, path] = link.short_url.replace(/^https?:\/\//, '').split('/', 2)
    // The program itself has drawn it, and escapes its text.
    const drawn = svgOf(link.code).replace(/^<\?xml[^>]*\?>\s*/, '')
    const title = html`<title>${createdTexts[language].image(link.short_url)}</title>`.markup
    const svg: Html = { markup: drawn.replace('<title>QR code</title>', () => title) }
    labels.push(
      html`<li>
        ${svg} ${row.title && html`<strong>${row.title}</strong>`} <span>${host}/<wbr />${path}</span>
      </li>`,
    )
    await pause()
  }
  return {
    title: texts.sheetTitle,
    site: { language, section: 'bulk' },
    styles: ['bulk'],
    body: html`<main class="bulk">
      <h1 class="bulk-screen">${texts.sheetTitle}</h1>
      <ul class="bulk-sheet">
        ${labels}
      </ul>
    </main>`,
  }
}
