import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { report, type ReportDeps } from '../abuse/reports.ts'
import { sendPage } from '../http/document.ts'
import type { Origin } from '../http/origin.ts'
import { Problem } from '../http/problem.ts'
import { formOf } from './form-body.ts'
import { reportedPage, reportPage } from './report-page.ts'

/** What the page of reports needs of the rest of the program. */
export interface ReportPageDeps extends ReportDeps {
  origin: Origin
  owns: (url: URL) => boolean
  contact: string | undefined
  /** A hook that charges each report. */
  limitReports: onRequestAsyncHookHandler
}

/** Details of 2,000 characters of any script, percent-encoded, are 24 KB; a URL of 2,048 is 18. */
const REPORT_LIMIT = 64 * 1024

const hidden = { schema: { hide: true } }
const empty = { code: '', reason: '', details: '' }

/** The page on which anyone reports a code. Forms must be read already. */
export function reportPageRoutes(app: FastifyInstance, deps: ReportPageDeps): void {
  app.get('/report', hidden, async (request: FastifyRequest<{ Querystring: { code?: unknown } }>, reply) => {
    const { code } = request.query
    return sendPage(
      reply,
      reportPage({ ...empty, code: typeof code === 'string' ? code.slice(0, 2048) : '' }, deps.contact),
    )
  })
  const options = {
    ...hidden,
    config: { work: 'creations' },
    onRequest: deps.limitReports,
    bodyLimit: REPORT_LIMIT,
  } as const
  app.post('/report', options, (request, reply) => takeReport(deps, request, reply))
}

async function takeReport(deps: ReportPageDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request.body)
  const field = (name: string) => form.get(name)?.replaceAll('\r\n', '\n') ?? ''
  const filled = { code: field('code').trim(), reason: field('reason'), details: field('details') }
  const origin = deps.origin.of(request)
  try {
    const code = await report(deps, filled, (url) => url.origin === origin || deps.owns(url))
    return sendPage(reply.header('cache-control', 'no-store'), reportedPage(code))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return sendPage(reply.code(error.status), reportPage({ ...filled, problem: error }, deps.contact))
  }
}
