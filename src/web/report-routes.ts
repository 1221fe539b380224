import type { FastifyReply, FastifyRequest } from 'fastify'
import { shortUrlsOf, type ReportNeeds } from '../abuse/routes.ts'
import { pageLanguage } from '../http/accept.ts'
import { addVary } from '../http/compress.ts'
import { sendPage, type Page } from '../http/document.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { formOf } from './form-body.ts'
import { reportReasons } from '../abuse/reports.ts'
import { html, type Html } from '../http/html.ts'
import type { Language } from '../texts/language.ts'
import { problemTexts } from '../texts/problems.ts'
import { reportTexts } from '../texts/report.ts'
import { hinted } from './hinted.ts'
import { contactLink } from './suspension-pages.ts'

/** What the report page needs from the rest of the program. */
export interface ReportPageNeeds extends ReportNeeds {
  contact: string | undefined
}

/** Details of 2,000 characters of any script, percent-encoded, are 24 KB; a URL of 2,048 is 18. */
const REPORT_LIMIT = 64 * 1024

const hidden = { schema: { hide: true } }
const empty = { code: '', reason: '', details: '' }

/** The page on which anyone can report a code: `/report` */
export function reportPageRoutes(needs: ReportPageNeeds): Record<'show' | 'report', Route> {
  return {
    show: route<{ Querystring: { code?: unknown } }>({
      ...hidden,
      async handler(request, reply) {
        const { code } = request.query
        const prefilled = typeof code === 'string' ? code.slice(0, 2048) : ''
        const page = reportPage({ ...empty, code: prefilled }, needs.contact, pageLanguage(request))
        addVary(reply, 'accept-language')
        return sendPage(reply, { ...page, publicAt: needs.origin.of(request) })
      },
    }),
    report: route({
      ...hidden,
      config: { work: 'reports' },
      onRequest: needs.limitReports,
      bodyLimit: REPORT_LIMIT,
      handler: (request, reply) => takeReport(needs, request, reply),
    }),
  }
}

async function takeReport(
  { report, origin, client, contact }: ReportPageNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request.body)
  const field = (name: string) => form.get(name)?.replaceAll('\r\n', '\n') ?? ''
  const typed = { code: field('code').trim(), reason: field('reason'), details: field('details') }
  const language = pageLanguage(request)
  addVary(reply, 'accept-language')
  try {
    const owns = shortUrlsOf(origin, request)
    const code = await report(typed, { address: client.of(request.raw), owns })
    return sendPage(reply.header('cache-control', 'no-store'), reportedPage(code, language))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return sendPage(reply.code(error.status), reportPage({ ...typed, problem: error }, contact, language))
  }
}

/** A report as the client typed it, and why it was refused. */
interface TypedReport {
  code: string
  reason: string
  details: string
  problem?: Problem
}

type Texts = (typeof reportTexts)[Language]

type Field = keyof Texts['faults']

/** The page on which anyone can report a code. */
function reportPage(report: TypedReport, contact: string | undefined, language: Language): Page {
  const texts = reportTexts[language]
  const { code, problem } = report
  return {
    title: texts.title,
    lang: language,
    body: html`<main>
      <h1>${texts.title}</h1>
      <p>${texts.lead}</p>
      <form method="post" action="/report">
        ${problem && html`<p class="note alarm" role="alert">${refusal(problem, code, language)}</p>`}
        <label
          >${texts.code}
          <input
            name="code"
            value="${code}"
            required
            autocapitalize="none"
            spellcheck="false"
            ${isFaulty('code', problem) && html`aria-describedby="code-fault"`}${invalid('code', problem)}
            dir="auto"
          />
        </label>
        ${fault('code', problem, texts)} ${reasonFields(report, texts)} ${detailsField(report, texts)}
        <button>${texts.send}</button>
      </form>
      <p class="small quiet">${texts.privacy} ${contact && contactLink(contact, language)}</p>
    </main>`,
  }
}

function isFaulty(field: Field, problem: Problem | undefined): boolean {
  return problem?.errors.some(({ pointer }) => pointer === `/${field}`) ?? false
}

/** The attributes of an input that has a fault; the first one has the focus. */
function invalid(field: Field, problem: Problem | undefined): Html | false {
  const isFirst = problem?.errors[0]?.pointer === `/${field}`
  return isFaulty(field, problem) && html` aria-invalid="true" ${isFirst && html`autofocus`}`
}

function fault(field: Field, problem: Problem | undefined, texts: Texts): Html | false {
  return isFaulty(field, problem) && html`<p class="fault" id="${field}-fault">${texts.faults[field]}</p>`
}

function reasonFields({ reason, problem }: TypedReport, texts: Texts): Html {
  return html`<fieldset ${isFaulty('reason', problem) && html`aria-describedby="reason-fault"`}>
    <legend>${texts.reason}</legend>
    ${fault('reason', problem, texts)}
    ${reportReasons.map((name) => {
      const checked = name === reason && html` checked`
      return html`<label class="choice"
        ><input type="radio" name="reason" value="${name}" required ${checked} />${texts.reasons[name]}</label
      >`
    })}
  </fieldset>`
}

function detailsField({ details, problem }: TypedReport, texts: Texts): Html {
  const further = isFaulty('details', problem) ? 'details-fault' : ''
  const input = { id: 'report-details', label: texts.details, hint: texts.detailsHint, further }
  return html`${hinted(
    input,
    (attributes) =>
      html`<textarea name="details" rows="4" ${attributes}${invalid('details', problem)} dir="auto">
${details}</textarea>`,
  )}
  ${fault('details', problem, texts)}`
}

/** Why the form as a whole was refused. */
function refusal({ code: problem, errors }: Problem, code: string, language: Language): string {
  const texts = reportTexts[language]
  if (errors.length > 0) return texts.correct
  if (problem === 'unknown_code') return texts.unknown(code)
  if (problem === 'code_gone') return texts.gone(code)
  if (problem === 'code_removed' || problem === 'code_removed_by_law') return texts.removed(code)
  return `${problemTexts[language].titles[problem]}.`
}

/** The page that confirms a report. */
function reportedPage(code: string, language: Language): Page {
  const texts = reportTexts[language]
  return {
    title: texts.thanks,
    lang: language,
    body: html`<main>
      <h1>${texts.thanks}</h1>
      <p role="status">${texts.received(code)}</p>
      <p><a href="/report">${texts.another}</a></p>
    </main>`,
  }
}
