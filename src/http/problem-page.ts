import type { FastifyRequest } from 'fastify'
import type { Language } from '../texts/language.ts'
import { problemTexts } from '../texts/problems.ts'
import { pageLanguage } from './accept.ts'
import type { Page } from './document.ts'
import { html, type Html } from './html.ts'
import type { Problem, ProblemCode } from './problem.ts'

/** Visitors of a short link get these: the service itself is none of their business. */
const ofVisits: ReadonlySet<ProblemCode> = new Set([
  'unknown_code',
  'code_gone',
  'link_ended',
  'code_removed',
  'code_removed_by_law',
])

/** The page of a problem, in the language of the client. */
export function problemPage(problem: Problem, request: FastifyRequest, more?: Html): Page {
  const language = pageLanguage(request)
  const texts = problemTexts[language]
  const title = texts.titles[problem.code]
  const hasHome = request.customDomain === undefined && !ofVisits.has(problem.code)
  return {
    title,
    lang: language,
    body: html`<main class="problem">
      <h1>${title}</h1>
      ${messageOf(problem, language)}
      ${problem.status >= 500 && html`<p class="small quiet">${texts.requestId} <code>${request.id}</code></p>`} ${more}
      ${hasHome && html`<p><a href="/">${texts.home}</a></p>`}
    </main>`,
  }
}

function messageOf(problem: Problem, language: Language): Html {
  const { code, message, headers } = problem
  const texts = problemTexts[language]
  const seconds = Number(headers['retry-after'] ?? 0)
  const retry = seconds > 0 ? texts.retry(seconds) : texts.retryLater
  if (code === 'rate_limited') return html`<p>${texts.rateLimited} ${retry}</p>`
  if (code === 'unavailable') return html`<p>${texts.unavailable} ${retry}</p>`
  // The text of the link's owner.
  if (code === 'link_ended') return html`<p lang="" dir="auto">${message}</p>`
  return html`<p>${texts.messages[code]}</p>`
}
