import type { FastifyReply, FastifyRequest } from 'fastify'
import { preferredLanguage } from '../http/accept.ts'
import { addVary } from '../http/compress.ts'
import { sendPage, type Page } from '../http/document.ts'
import { html } from '../http/html.ts'
import { passwordTexts, rightToLeft, type PasswordLanguage } from './password-texts.ts'

const languages = Object.keys(passwordTexts) as [PasswordLanguage, ...PasswordLanguage[]]

/** Why a try has failed. */
export type Failure = 'wrong' | 'limited' | 'busy'

/**
 * Sends the page that asks for the password of a link, in the visitor's language. It is the same for every link. 401 would
 * need a scheme of HTTP authentication (RFC 9110, 15.5.2), so that it is 200 unless a try has failed.
 */
export function sendPasswordForm(request: FastifyRequest, reply: FastifyReply, failure?: Failure): FastifyReply {
  reply.headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' })
  addVary(reply, 'accept-language')
  return sendPage(reply, passwordPage(preferredLanguage(request.headers['accept-language'], languages), failure))
}

/** Its form is sent to the address of the page itself, with the query: so a scan of a QR code counts as one. */
function passwordPage(lang: PasswordLanguage, failure: Failure | undefined): Page {
  const texts = passwordTexts[lang]
  const invalid = failure === 'wrong' && html`aria-invalid="true"`
  return {
    title: texts.title,
    lang,
    isRightToLeft: rightToLeft.has(lang),
    leadsAway: true,
    body: html`<main>
      <h1>${texts.title}</h1>
      <p>${texts.lead}</p>
      <form method="post">
        ${failure && html`<p class="note alarm" role="alert">${texts[failure]}</p>`}
        <label
          >${texts.label}
          <input type="password" name="password" required autofocus autocomplete="off" ${invalid} dir="auto"
        /></label>
        <button>${texts.button}</button>
      </form>
    </main>`,
  }
}
