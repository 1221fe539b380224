import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage, wantsPage } from '../http/accept.ts'
import { addVary } from '../http/compress.ts'
import { sendPage } from '../http/document.ts'
import { html } from '../http/html.ts'
import { catalogue, Problem } from '../http/problem.ts'
import type { Answer } from '../links/rules/compile.ts'
import { problemTexts } from '../texts/problems.ts'
import { visitorTexts } from '../texts/visitor.ts'
import type { Decide, Decision, RuledLink } from './decide.ts'
import type { Visits } from './open.ts'

/**
 * Records the scan of a link with rules, and then responds. HEAD gets the same response and records nothing.
 * @param sendItself sends the response of the link itself
 */
export function respondByRules(
  { decide, recordScan }: Pick<Visits, 'decide' | 'recordScan'>,
  request: FastifyRequest,
  reply: FastifyReply,
  live: RuledLink,
  sendItself: () => FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  const respondTo = ({ met, scan }: Decision) => {
    const send = () => (met === undefined ? sendItself() : sendAnswer(request, reply, met.answer))
    const respond = () => trySend(reply, send)
    if (request.method === 'HEAD') respond()
    else recordScan(scan, respond)
    return reply
  }
  const decision = decide.ifLoaded(request.raw, live)
  if (decision !== undefined) return respondTo(decision)
  return decide.onceLoaded(request.raw, live, respondTo).then(() => reply)
}

/** Sends the file of a link with rules, unless a rule has another response. Nothing is recorded. */
export async function sendFileByRules(
  decide: Decide,
  request: FastifyRequest,
  reply: FastifyReply,
  live: RuledLink,
  sendFile: () => FastifyReply | Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { met } = decide.ifLoaded(request.raw, live) ?? (await decide.onceLoaded(request.raw, live))
  return met === undefined ? sendFile() : sendAnswer(request, reply, met.answer)
}

/** Sends a response outside of the handler, which no error may leave unanswered. */
export function trySend(reply: FastifyReply, send: () => FastifyReply): void {
  try {
    send()
  } catch (error) {
    void reply.send(error)
  }
}

/** Redirects a visitor; after a form (RFC 9110, 15.4.4), to be followed by GET. */
export function sendRedirect({ method }: FastifyRequest, reply: FastifyReply, location: string): FastifyReply {
  return reply
    .code(method === 'POST' ? 303 : 302)
    .header('location', location)
    .send()
}

/**
 * Sends the response of a rule.
 * @throws {Problem} 410 with the owner's text when the link has ended, for a client that is not a browser
 */
function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.header('cache-control', 'private, no-store')
  if ('location' in answer) return sendRedirect(request, reply, answer.location)
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
