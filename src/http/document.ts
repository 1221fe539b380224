import type { FastifyReply } from 'fastify'
import { html, type Html } from './html.ts'

/** A page of ours: a title and what stands in its body. */
export interface Page {
  title: string
  body: Html
  /** The path of a module of ours that the page runs, and that may ask us for more. */
  script?: string
}

/** Where the one stylesheet is served. */
export const stylesheetPath = '/assets/quirl.css'

/**
 * The headers of every page. Nothing inline and nothing foreign runs or loads; forms go to ourselves only; no one may
 * frame a page, because a token page in a frame could be clicked unseen.
 */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** A script may also show the images that it draws. */
const scriptPolicy = `${policy.replace("img-src 'self'", "img-src 'self' blob:")}; script-src 'self'; connect-src 'self'`

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Answers with a page. What the caller has set on the reply before (status, caching) stays. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${page.title}</title>
        <link rel="stylesheet" href="${stylesheetPath}" />
        <link rel="icon" href="/assets/quirl.svg" type="image/svg+xml" />
        ${page.script && html`<script type="module" src="${page.script}"></script>`}
      </head>
      <body>
        ${page.body}
      </body>
    </html>`
  reply.header('content-security-policy', page.script === undefined ? policy : scriptPolicy)
  return reply.headers(pageHeaders).send(document.markup)
}
