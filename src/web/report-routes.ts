import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReportNeeds } from '../abuse/routes.ts'
import { pageLanguage } from '../http/accept.ts'
import { addVary } from '../http/compress.ts'
import { sendPage } from '../http/document.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { formOf } from './form-body.ts'
import { reportedPage, reportPage } from './report-page.ts'

/** What the report page needs from the rest of the program. */
export interface ReportPageNeeds extends ReportNeeds {
  contact: string | undefined
}

/** Details of 2,000 characters of any script, percent-encoded, are 24 KB; a URL of 2,048 is 18. */
const REPORT_LIMIT = 64 * 1024

const hidden = { schema: { hide: true } }
const empty = { code: '', reason: '', details: '' }

/** The page on which anyone can report a code: `/report` */
export function reportPageRoutes(needs: ReportPageNeeds): Record<'show' | 'report', Route> {
  return {
    show: route<{ Querystring: { code?: unknown } }>({
      ...hidden,
      async handler(request, reply) {
        const { code } = request.query
        const prefilled = typeof code === 'string' ? code.slice(0, 2048) : ''
        const page = reportPage({ ...empty, code: prefilled }, needs.contact, pageLanguage(request))
        addVary(reply, 'accept-language')
        return sendPage(reply, { ...page, publicAt: needs.origin.of(request) })
      },
    }),
    report: route({
      ...hidden,
      config: { work: 'creations' },
      onRequest: needs.limitReports,
      bodyLimit: REPORT_LIMIT,
      handler: (request, reply) => takeReport(needs, request, reply),
    }),
  }
}

async function takeReport(
  { report, origin, client, contact }: ReportPageNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request.body)
  const field = (name: string) => form.get(name)?.replaceAll('\r\n', '\n') ?? ''
  const typed = { code: field('code').trim(), reason: field('reason'), details: field('details') }
  const own = origin.of(request)
  const language = pageLanguage(request)
  addVary(reply, 'accept-language')
  try {
    const owns = (url: URL) => url.origin === own || origin.owns(url)
    const code = await report(typed, { address: client.of(request.raw), owns })
    return sendPage(reply.header('cache-control', 'no-store'), reportedPage(code, language))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return sendPage(reply.code(error.status), reportPage({ ...typed, problem: error }, contact, language))
  }
}
