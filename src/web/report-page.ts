import { reportReasons } from '../abuse/reports.ts'
import type { Page } from '../http/document.ts'
import { html, type Html } from '../http/html.ts'
import type { Problem } from '../http/problem.ts'
import { renderFields, renderProblem } from './form.ts'
import { contactLink } from './removal-pages.ts'

/** What was typed into the form, and what is wrong with it. */
export interface FilledReport {
  code: string
  reason: string
  details: string
  problem?: Problem
}

/** The page on which anyone reports a code. */
export function reportPage(filled: FilledReport, contact: string | undefined): Page {
  const { problem, code, details } = filled
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
    body: html`<main>
      <h1>Report a link</h1>
      <p>
        Does a short link or QR code of this service lead to something harmful? Whoever runs the service will see it.
      </p>
      <form method="post" action="/report">
        ${renderProblem(problem)} ${renderFields([codeField], { code }, errors)} ${reasonFields(filled, problem)}
        ${renderFields([detailsField], { details }, errors)}
        <button>Report</button>
      </form>
      <p class="quiet">Nothing about you is kept. ${contact && contactLink(contact)}</p>
    </main>`,
  }
}

function reasonFields({ reason }: FilledReport, problem: Problem | undefined): Html {
  const faults = problem?.errors.filter(({ pointer }) => pointer === '/reason') ?? []
  return html`<fieldset>
    <legend>What is wrong with it?</legend>
    ${faults.length > 0 && html`<p class="fault">Please choose what fits best.</p>`}
    ${Object.entries(reportReasons).map(([name, words]) => {
      const checked = name === reason && html` checked`
      return html`<label class="choice"
        ><input type="radio" name="reason" value="${name}" required ${checked} />${words}</label
      >`
    })}
  </fieldset>`
}

/** What is said after a report. */
export function reportedPage(code: string): Page {
  return {
    title: 'Thank you',
    body: html`<main>
      <h1>Thank you</h1>
      <p role="status">Your report of ${code} was received. If it leads to something harmful, it will be removed.</p>
      <p><a href="/report">Report another</a> · <a href="/">Create a link</a></p>
    </main>`,
  }
}
