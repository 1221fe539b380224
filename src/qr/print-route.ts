import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Design } from './design/schema.ts'
import type { PageJob, Poster } from './print/poster.ts'
import { warnOfLocalUrl } from '../http/local-address.ts'
import { problems } from '../http/problem-schema.ts'
import { route, type Route } from '../http/route.ts'
import { printedAddress } from './print/printed-address.ts'
import { posterOf, printQuery, type PrintQuery } from './print/query.ts'
import { CODE_CACHING, codeParams, formOf, nameOf, requireLink, type CodeImageNeeds } from './routes.ts'
import { requesterOf } from './requester.ts'
import { imageResponse, sendImage } from './send.ts'

interface PrintRequest {
  Params: { code: string }
  Querystring: PrintQuery
}

/** A page to print: `GET /<code>/print.pdf`. The title of the link is its owner's, so that a client has to send it. */
export function printRoute(needs: CodeImageNeeds): Route {
  return route<PrintRequest>({
    onRequest: needs.limitImages,
    config: { onDomains: true, work: 'images' },
    schema: {
      summary: 'A page to print with the QR code of a short link',
      operationId: 'print_pdf',
      description:
        'A PDF 1.7 in vectors with texts, the code and the short URL: a poster, a table tent, a card, a sticker or a shelf label. ' +
        'The design of the code is that of the link; texts are black (DeviceGray), in embedded fonts, and shrink until they fit. ' +
        'What is cut out has marks, a trim box and a bleed box.',
      tags: ['QR images'],
      params: codeParams,
      querystring: printQuery,
      response: {
        ...imageResponse(['pdf']),
        ...problems(
          'unscannable',
          'text_too_long',
          'text_not_printable',
          'unknown_code',
          'code_gone',
          'code_removed',
          'code_removed_by_law',
        ),
      },
    },
    handler: (request, reply) => answerPage(needs, request, reply),
  })
}

async function answerPage(
  needs: CodeImageNeeds,
  request: FastifyRequest<PrintRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const link = await requireLink(needs, request.params.code)
  const origin = needs.origin.of(request)
  const form = formOf(request.query, link)
  const text = needs.codeText(link.code, origin, form)
  const poster = posterOf(request.query, printedAddress(origin, link.code))
  const job = pageJob(text, await needs.designOf(link.id), poster)
  const image = await needs.images.designed(job, requesterOf(needs.holderOf, request, reply))
  reply.header('cache-control', CODE_CACHING)
  warnOfLocalUrl(reply, origin)
  return sendImage(request, reply, image, { name: `${nameOf(link.code, form)}-${poster.paper}`, format: 'pdf' })
}

/** The job that draws a page. @param text what its code encodes @param design that of the link */
export function pageJob(text: string, design: Design | undefined, poster: Poster): PageJob {
  const isSaved = design !== undefined
  return { text, format: 'pdf', size: 512, design: design ?? {}, at: isSaved ? '/design' : '', isSaved, poster }
}
