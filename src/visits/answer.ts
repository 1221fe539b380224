import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage, wantsPage } from '../http/accept.ts'
import { addVary } from '../http/compress.ts'
import { sendPage, type Page } from '../http/document.ts'
import { html } from '../http/html.ts'
import { catalogue, Problem } from '../http/problem.ts'
import type { Answer } from '../links/rules/compile.ts'
import type { Scans } from '../scans/open.ts'
import type { Language } from '../texts/language.ts'
import { problemTexts } from '../texts/problems.ts'
import { visitorTexts } from '../texts/visitor.ts'
import { numbersOf, type Decide, type Decision, type RuledLink } from './decide.ts'
import type { LiveLink, OpenedLink } from './live-link.ts'
import type { Visits } from './open.ts'
import { redirectWarning } from './warning-page.ts'

/** Sends the response of a link itself. */
type SendItself<T = FastifyReply> = (live: LiveLink) => T

/** Records the scan of a link with rules, and then responds. HEAD gets the same response and records nothing. */
export function respondByRules(
  { decide, recordScan }: Pick<Visits, 'decide'> & Pick<Scans, 'recordScan'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { live, reread }: OpenedLink<RuledLink>,
  sendItself: SendItself,
): FastifyReply | Promise<FastifyReply> {
  const respondTo = createRespond(recordScan, request, reply, sendItself)
  const decision = decide.ifLoaded(request.raw, live)
  if (decision !== undefined) return respondTo(decision, live)
  return decide.onceLoaded(request.raw, numbersOf(live), reread, respondTo)
}

function createRespond(
  recordScan: Scans['recordScan'],
  request: FastifyRequest,
  reply: FastifyReply,
  sendItself: SendItself,
): (decision: Decision, live: LiveLink) => FastifyReply {
  const send = createSend(request, reply, sendItself)
  return (decision, live) => {
    const respond = () => trySend(reply, () => send(decision, live))
    if (request.method === 'HEAD') respond()
    else recordScan(decision.scan, respond)
    return reply
  }
}

/** Sends the file of a link with rules, unless a rule has another response. Nothing is recorded. */
export function sendFileByRules(
  decide: Decide,
  request: FastifyRequest,
  reply: FastifyReply,
  { live, reread }: OpenedLink<RuledLink>,
  sendFile: SendItself<FastifyReply | Promise<FastifyReply>>,
): FastifyReply | Promise<FastifyReply> {
  const send = createSend(request, reply, sendFile)
  const decision = decide.ifLoaded(request.raw, live)
  if (decision !== undefined) return send(decision, live)
  return decide.onceLoaded(request.raw, numbersOf(live), reread, send)
}

function createSend<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  sendItself: SendItself<T>,
): (decision: Decision, live: LiveLink) => T | FastifyReply {
  return ({ met }, live) => (met === undefined ? sendItself(live) : sendAnswer(request, reply, live, met.answer))
}

/** Sends a response outside of the handler, which no error may leave unanswered. */
export function trySend(reply: FastifyReply, send: () => FastifyReply): void {
  try {
    send()
  } catch (error) {
    void reply.send(error)
  }
}

/** Whether a person is to be warned of a link first. Programs are not: nobody reads what they get. */
export function isToBeWarned({ headers }: FastifyRequest, { isWarned }: LiveLink): boolean {
  return isWarned && wantsPage(headers.accept)
}

/** Sends a page with the operator's warning. */
export function sendWarning(
  request: FastifyRequest,
  reply: FastifyReply,
  pageIn: (language: Language) => Page,
): FastifyReply {
  reply.header('x-robots-tag', 'noindex')
  addVary(reply, 'accept')
  addVary(reply, 'accept-language')
  return sendPage(reply, pageIn(pageLanguage(request)))
}

/** Redirects a visitor; after a form (RFC 9110, 15.4.4), to be followed by GET. Of a link with a warning, a browser gets that. */
export function sendRedirect(
  request: FastifyRequest,
  reply: FastifyReply,
  live: LiveLink,
  location: string,
): FastifyReply {
  if (isToBeWarned(request, live)) return sendWarning(request, reply, (language) => redirectWarning(location, language))
  return reply
    .code(request.method === 'POST' ? 303 : 302)
    .header('location', location)
    .send()
}

/**
 * Sends the response of a rule.
 * @throws {Problem} 410 with the owner's text when the link has ended, for a client that is not a browser
 */
function sendAnswer(request: FastifyRequest, reply: FastifyReply, live: LiveLink, answer: Answer): FastifyReply {
  reply.header('cache-control', 'private, no-store')
  if ('location' in answer) return sendRedirect(request, reply, live, answer.location)
  const { ended, isEarly = false } = answer
  if (!wantsPage(request.headers.accept)) throw new Problem('link_ended', ended)
  const lang = pageLanguage(request)
  const title = isEarly ? visitorTexts[lang].notYet : problemTexts[lang].titles.link_ended
  const body = html`<main class="problem">
    <h1>${title}</h1>
    <p class="text" lang="" dir="auto">${ended}</p>
  </main>`
  addVary(reply, 'accept')
  addVary(reply, 'accept-language')
  return sendPage(reply.code(catalogue.link_ended[0]), { title, lang, body })
}
