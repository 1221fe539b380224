import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { pageLanguage, preferredType } from '../http/accept.ts'
import { addVary } from '../http/compress.ts'
import { sendPage } from '../http/document.ts'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { Problem } from '../http/problem.ts'
import { sends } from '../http/response-headers.ts'
import { route, type Route } from '../http/route.ts'
import type { RightPassword } from '../links/password/password.ts'
import { isToken } from '../lib/token.ts'
import { kinds } from '../links/kinds/index.ts'
import type { Viewer } from '../links/kinds/kind.ts'
import type { Limits } from '../limits/open.ts'
import type { Scans } from '../scans/open.ts'
import { suspensionProblem } from '../links/suspension.ts'
import { isToBeWarned, respondByRules, sendRedirect, sendWarning, trySend } from './answer.ts'
import { hasRules } from './decide.ts'
import type { Visits } from './open.ts'
import { sendPasswordForm } from './password-page.ts'
import { previewPage, protectedPreviewPage } from './preview.ts'
import type { LiveLink, OpenedLink, Reread } from './live-link.ts'
import type { Resolution } from './resolve.ts'
import { documentWarning } from './warning-page.ts'

export interface CodeRoute {
  Params: { code: string }
}
type CodeRequest = FastifyRequest<CodeRoute>

const tags = ['Visits']
export const visitParams = Type.Object({
  code: Type.String({ description: 'The short code, in any case.', examples: ['k7dw3nq'] }),
})

/** Visits have priority over all other work. */
export const visitConfig = { onDomains: true, work: 'visits' } as const

/** The errors of a visit, unless a rule has ended the link. */
const missing = ['unknown_code', 'code_gone', 'code_removed', 'code_removed_by_law'] as const
export const missingOrEnded = [...missing, 'link_ended'] as const

const text = { schema: Type.String() }

/** A redirect of a visitor, for the OpenAPI document. */
export const redirected = (description: string) => ({ description, headers: sends('Location'), type: 'null' })

/** What a visitor is shown, for the OpenAPI document: a page, which may ask for the password, or one of the files. */
export const shown = (description: string, mediaTypes: string[]) => ({
  description,
  ...(mediaTypes.length > 0 && { headers: sends('Content-Disposition') }),
  content: Object.fromEntries(['text/html', ...mediaTypes].map((mediaType) => [mediaType, text])),
})

/** The media types of all files that links have. */
export const fileTypes = kinds.flatMap(({ file }) => (file === undefined ? [] : [file.mediaType]))

/** What visits need of the rest of the program. */
export interface VisitNeeds
  extends
    Pick<Visits, 'resolve' | 'decide' | 'visitorOf'>,
    Pick<Scans, 'record' | 'recordScan'>,
    Pick<Limits, 'turnToRender' | 'isTurnFree'> {
  origin: Pick<Origin, 'of' | 'ofPages'>
}

/** The forms of a short URL. */
export type VisitPath = 'plain' | 'compact' | 'compactInSmallLetters'

/** The short links themselves. */
export function visitRoutes(visits: VisitNeeds): Record<VisitPath, Route> {
  const handler = (request: CodeRequest, reply: FastifyReply) => {
    const resolution = visits.resolve(request.params.code)
    return resolution instanceof Promise
      ? resolution.then((awaited) => respondToVisit(visits, request, reply, awaited))
      : respondToVisit(visits, request, reply, resolution)
  }
  const qrParameter = '`?qr=1` marks the visit as a scan of a QR code, `?qr=<id>` as one of the code of this placement.'
  const compact = visitSchema('visitCompact', 'The form in compact QR images, in capitals; a scan of a QR code.')
  return {
    plain: route<CodeRoute>({ config: visitConfig, schema: visitSchema('visit', qrParameter), handler }),
    compact: route<CodeRoute>({ config: visitConfig, schema: compact, handler }),
    // People who copy a printed URL by hand may type it in small letters.
    compactInSmallLetters: route<CodeRoute>({ config: visitConfig, schema: { ...compact, hide: true }, handler }),
  }
}

function visitSchema(operationId: string, note: string) {
  return {
    summary: 'Visit a short link',
    operationId,
    description: `Redirects to the destination with the UTM parameters set, or shows the page of a kind that has one. ${note}`,
    tags,
    params: visitParams,
    response: {
      302: redirected('A redirect to the destination; `private, no-store`, no body.'),
      200: shown(
        'The page of the link, or its file for a client that prefers that; or a warning of the operator.',
        fileTypes,
      ),
      ...problems(...missingOrEnded),
    },
  }
}

/** The page that shows where a short link leads. */
export function previewRoute({ resolve }: Visits): Route {
  return route<CodeRoute>({
    schema: {
      summary: 'See where a short link leads',
      operationId: 'preview',
      description: 'A page that shows the destination without a redirect; nothing is recorded.',
      tags,
      params: visitParams,
      response: {
        200: shown('The page.', []),
        ...problems(...missing),
      },
    },
    async handler(request, reply) {
      const resolution = await resolve(request.params.code)
      const language = pageLanguage(request)
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      addVary(reply, 'accept-language')
      if (resolution.state === 'protected') return sendPage(reply, protectedPreviewPage(resolution.locked, language))
      return sendPage(reply, previewPage(requireLive(resolution, request.params.code), language))
    },
  })
}

function respondToVisit(
  visits: VisitNeeds,
  request: CodeRequest,
  reply: FastifyReply,
  resolution: Resolution,
): FastifyReply | Promise<FastifyReply> {
  if (resolution.state === 'protected') return sendPasswordForm(request, reply)
  const { code } = request.params
  const opened = { live: requireLive(resolution, code), reread: createReread(visits.resolve, code) }
  return respondToVisitor(visits, request, reply, opened)
}

/** @param right the password that has opened the link */
export function createReread(resolve: Visits['resolve'], code: string, right?: RightPassword): Reread {
  return async () => {
    const now = await resolve(code)
    if (now.state !== 'protected') return requireLive(now, code)
    const live = right && now.locked.open(right)
    if (live === undefined) throw new Problem('unavailable', 'the link has got another password: open it again')
    return live
  }
}

/** Records the scan of a link, and then responds. HEAD gets the response of GET and records nothing. */
export function respondToVisitor(
  visits: Omit<VisitNeeds, 'resolve'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { live, reread }: OpenedLink,
): FastifyReply | Promise<FastifyReply> {
  const sendItself = createSend(visits, request, reply, reread)
  if (hasRules(live)) return respondByRules(visits, request, reply, { live, reread }, sendItself)
  const respond = () => trySend(reply, () => sendItself(live))
  if (request.method === 'HEAD') respond()
  else visits.record(request.raw, live, respond)
  return reply
}

type SendNeeds = Pick<VisitNeeds, 'origin' | 'visitorOf' | 'turnToRender' | 'isTurnFree'>

/** Sends what a link leads to: a page when its turn has come. */
function createSend(
  needs: SendNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  reread: Reread,
): (live: LiveLink) => FastifyReply {
  const sendLater = async () => {
    if (!(await hasTurn(needs, request))) return
    const render = (live: LiveLink) => sendOutcome(needs, request, reply, live)?.()
    await reread()
      .then(render)
      .catch((error: unknown) => void reply.send(error))
  }
  return (live) => {
    // A page that waits is prepared once its turn has come.
    if (!needs.isTurnFree() && !live.kind.redirects && !prefersFile(request, live)) {
      void sendLater()
      return reply
    }
    const render = sendOutcome(needs, request, reply, live)
    if (render !== undefined) void hasTurn(needs, request).then((has) => has && trySend(reply, render))
    return reply
  }
}

/** Waits for the turn to render a page. @returns whether its client is still there */
function hasTurn({ turnToRender }: Pick<SendNeeds, 'turnToRender'>, request: FastifyRequest): Promise<boolean> {
  return turnToRender(request).then(
    () => true,
    () => false,
  )
}

/** Sends what a link leads to, but no page. @returns what renders the page of a link that has one */
function sendOutcome(
  { origin, visitorOf }: Pick<SendNeeds, 'origin' | 'visitorOf'>,
  request: FastifyRequest,
  reply: FastifyReply,
  live: LiveLink,
): (() => FastifyReply) | undefined {
  const { file } = live.kind
  reply.header('cache-control', 'private, no-store')
  if (prefersFile(request, live)) {
    sendFile(reply, live)
    return undefined
  }
  const visitor = visitorOf(request.raw)
  const outcome = live.visit(visitor)
  if (outcome.type === 'redirect') {
    sendRedirect(request, reply, live, outcome.location)
    return undefined
  }
  if (file !== undefined) addVary(reply, 'accept')
  addVary(reply, 'accept-language')
  return () => {
    const page = outcome.pageFor(viewerOf(request, visitor, origin))
    if (isToBeWarned(request, live)) return sendWarning(request, reply, (language) => documentWarning(page, language))
    return sendPage(reply, page)
  }
}

function prefersFile({ headers: { accept } }: FastifyRequest, { kind: { file } }: LiveLink): boolean {
  return file !== undefined && preferredType(accept, ['text/html', file.mediaType]) === file.mediaType
}

function viewerOf(request: FastifyRequest, { browser }: Pick<Viewer, 'browser'>, origin: VisitNeeds['origin']): Viewer {
  return {
    language: pageLanguage(request),
    browser,
    origin: origin.of(request),
    service: origin.ofPages(request),
  }
}

export function sendFile(reply: FastifyReply, { code, kind, content }: LiveLink): FastifyReply {
  reply.headers({
    'content-type': `${kind.file?.mediaType}; charset=utf-8`,
    'content-disposition': `attachment; filename="${code}.${kind.file?.extension}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  return reply.send(kind.file?.write(content()))
}

/** @throws {Problem} 404 for an unknown or paused code, 410 for a deleted one, 410 or 451 for a suspended one */
export function requireLive(resolution: Exclude<Resolution, { state: 'protected' }>, code: string): LiveLink {
  if (resolution.state === 'live') return resolution.live
  if (resolution.state === 'suspended') throw suspensionProblem(resolution.suspension)
  if (resolution.state === 'gone') throw new Problem('code_gone', `the link ${named(code)} was deleted by its owner`)
  throw new Problem('unknown_code', `no link has the code ${named(code)}`)
}

/** The code for an error text, unless it is invalid or could be a token: a path can hold any text. */
function named(code: string): string {
  return /^[\w-]{1,64}$/.test(code) && !isToken(code) ? code : 'in the request'
}
