import { reportReasons } from '../abuse/reports.ts'
import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import type { Problem } from '../http/problem.ts'
import { renderFields, renderProblem } from './form.ts'
import { contactLink } from './removal-pages.ts'

/** A report as the client typed it, and why it was refused. */
export interface TypedReport {
  code: string
  reason: string
  details: string
  problem?: Problem
}

/** The page on which anyone can report a code. */
export function reportPage(report: TypedReport, contact: string | undefined): Page {
  const { problem, code, details } = report
  const errors = problem?.errors ?? []
  const codeField = { name: 'code', label: 'Short link or code', input: 'text', required: true } as const
  const detailsField = {
    name: 'details',
    label: 'Details',
    input: 'textarea',
    hint: 'optional; no personal data',
  } as const
  return {
    title: 'Report a link',
    site: { language: 'en' },
    body: html`<main class="narrow">
      <h1>Report a link</h1>
      <p>Does a short link or QR code of this service lead to something harmful? Tell the operator of this service.</p>
      <form method="post" action="/report">
        ${renderProblem(problem)} ${renderFields([codeField], { code }, errors)} ${reasonFields(report, problem)}
        ${renderFields([detailsField], { details }, errors)}
        <button>Report</button>
      </form>
      <p class="quiet">This service stores nothing about you. ${contact && contactLink(contact)}</p>
    </main>`,
  }
}

function reasonFields({ reason }: TypedReport, problem: Problem | undefined): Html {
  const faults = problem?.errors.filter(({ pointer }) => pointer === '/reason') ?? []
  return html`<fieldset>
    <legend>What is wrong with it?</legend>
    ${faults.length > 0 && html`<p class="fault">Please choose the reason that fits best.</p>`}
    ${Object.entries(reportReasons).map(([name, label]) => {
      const checked = name === reason && html` checked`
      return html`<label class="choice"
        ><input type="radio" name="reason" value="${name}" required ${checked} />${label}</label
      >`
    })}
  </fieldset>`
}

/** The page that confirms a report. */
export function reportedPage(code: string): Page {
  return {
    title: 'Thank you',
    site: { language: 'en' },
    body: html`<main class="narrow">
      <h1>Thank you</h1>
      <p role="status">Your report of ${code} was received. If it leads to something harmful, it will be removed.</p>
      <p><a href="/report">Report another</a> · <a href="/">Create a link</a></p>
    </main>`,
  }
}
