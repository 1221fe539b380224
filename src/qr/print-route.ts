import { Type, type Static } from '#typebox'
import { warnOfLocalUrl } from '../http/local-address.ts'
import { problems } from '../http/problem-schema.ts'
import { route, type Route } from '../http/route.ts'
import { papers, type Paper } from './design/sheet-pdf.ts'
import { CODE_CACHING, codeParams, requireLink, type CodeImageNeeds } from './routes.ts'
import { requesterOf } from './requester.ts'
import { imageResponse, sendImage } from './send.ts'

const printQuery = Type.Object({
  paper: Type.Optional(
    Type.Enum(Object.keys(papers) as Paper[], { default: 'a4', description: 'The size of the page.' }),
  ),
  title: Type.Optional(
    Type.String({ maxLength: 200, description: 'A text above the code. It is set as large as fits.' }),
  ),
})

/** A page to print and hang up: `GET /<code>/print.pdf`. The title of the link is its owner's, so that a client has to send it. */
export function printRoute(needs: CodeImageNeeds): Route {
  return route<{ Params: { code: string }; Querystring: Static<typeof printQuery> }>({
    onRequest: needs.limitImages,
    config: { onDomains: true, work: 'images' },
    schema: {
      summary: 'A page to print with the QR code of a short link',
      operationId: 'print_pdf',
      description: 'A PDF with a title, the code and the short URL. Its design is that of the link; texts are black.',
      tags: ['QR images'],
      params: codeParams,
      querystring: printQuery,
      response: {
        ...imageResponse(['pdf']),
        ...problems('unknown_code', 'code_gone', 'code_removed', 'code_removed_by_law'),
      },
    },
    async handler(request, reply) {
      const { paper = 'a4', title = '' } = request.query
      const { id, code } = await requireLink(needs, request.params.code)
      const origin = needs.origin.of(request)
      const design = await needs.designOf(id)
      const image = await needs.images.designed(
        {
          text: needs.codeText(code, origin),
          format: 'pdf',
          size: 512,
          design: design ?? {},
          at: design === undefined ? '' : '/design',
          isSaved: design !== undefined,
          poster: { paper, title: title.trim().normalize('NFC'), address: `${new URL(origin).host}/${code}` },
        },
        requesterOf(needs.holderOf, request, reply),
      )
      reply.header('cache-control', CODE_CACHING)
      warnOfLocalUrl(reply, origin)
      return sendImage(request, reply, image, { name: `${code}-${paper}`, format: 'pdf' })
    },
  })
}
