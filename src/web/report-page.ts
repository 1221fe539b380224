import { reportReasons } from '../abuse/reports.ts'
import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import type { Problem } from '../http/problem.ts'
import type { Language } from '../texts/language.ts'
import { problemTexts } from '../texts/problems.ts'
import { reportTexts } from '../texts/report.ts'
import { hinted } from './hinted.ts'
import { contactLink } from './removal-pages.ts'

/** A report as the client typed it, and why it was refused. */
export interface TypedReport {
  code: string
  reason: string
  details: string
  problem?: Problem
}

type Texts = (typeof reportTexts)[Language]
type Field = keyof Texts['faults']

/** The page on which anyone can report a code. */
export function reportPage(report: TypedReport, contact: string | undefined, language: Language): Page {
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
export function reportedPage(code: string, language: Language): Page {
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
