import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { isForeign } from '../http/foreign-form.ts'
import { wantsPage } from '../http/accept.ts'
import { problems } from '../http/problem-schema.ts'
import { Problem, type ProblemCode } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { kinds } from '../links/kinds/index.ts'
import type { KindFile } from '../links/kinds/kind.ts'
import type { Passwords } from '../links/password/password.ts'
import { sendPasswordForm, type Failure } from './password-page.ts'
import { respondWithFile } from './file-routes.ts'
import type { OpenedLink } from './live-link.ts'
import {
  createReread,
  fileTypes,
  missingOrEnded,
  redirected,
  requireLive,
  respondToVisitor,
  shown,
  visitParams,
  type CodeRoute,
  type VisitNeeds,
  type VisitPath,
} from './routes.ts'
import type { Holder } from '../lib/holder.ts'

type CodeRequest = FastifyRequest<CodeRoute>

/** What the routes need of the rest of the program. */
export interface PasswordNeeds extends VisitNeeds {
  verify: Passwords['verify']
  /** Charges a try to the client and the link; resolves to the refund. @throws {Problem} 429 when a quota is used up */
  chargeGuess: (request: Pick<FastifyRequest, 'raw'>, linkId: number) => Promise<() => Promise<void>>
  /** Who waits for the check. */
  holderOf: (request: FastifyRequest) => Holder
  /** Charges an unknown code; returns the problem to send instead when the quota is used up. */
  chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>
}

/** A form with a password of 200 characters, each of which takes 12 bytes at most, or 36 when it is decomposed. */
const FORM_LIMIT = 8 * 1024

const body = {
  content: {
    'application/x-www-form-urlencoded': {
      schema: Type.Object({ password: Type.String() }, { title: 'PasswordForm' }),
    },
  },
}

/** The forms of links that are protected by a password; their addresses are those of the visits. */
export function passwordRoutes(needs: PasswordNeeds): Record<VisitPath, Route> {
  const handler = (request: CodeRequest, reply: FastifyReply) =>
    openLink(needs, request, reply, (opened) => respondToVisitor(needs, request, reply, opened))
  const shared = { config: configOf(needs), bodyLimit: FORM_LIMIT, handler }
  const schema = schemaOf(
    'openLink',
    'Redirects as a visit would, or shows the page of the link; then it is recorded.',
    {
      303: redirected('A redirect to the destination.'),
      200: shown('The page of the link, or its file for a client that prefers that.', fileTypes),
    },
  )
  const hidden = { ...schema, hide: true }
  return {
    plain: route<CodeRoute>({ ...shared, schema }),
    compact: route<CodeRoute>({ ...shared, schema: hidden }),
    compactInSmallLetters: route<CodeRoute>({ ...shared, schema: hidden }),
  }
}

/** The forms of their files. */
export function passwordFileRoutes(needs: PasswordNeeds): { extension: string; route: Route }[] {
  return kinds.flatMap(({ file }) =>
    file === undefined ? [] : [{ extension: file.extension, route: fileRoute(file, needs) }],
  )
}

function fileRoute(file: KindFile, needs: PasswordNeeds): Route {
  return route<CodeRoute>({
    config: configOf(needs),
    bodyLimit: FORM_LIMIT,
    schema: schemaOf(
      `open_${file.extension}`,
      'Downloads the file of the link; nothing is recorded.',
      {
        200: shown('The file; the form again for a page of another site.', [file.mediaType]),
        303: redirected('A redirect, where a rule of the link has one.'),
      },
      'not_found',
    ),
    handler: (request, reply) =>
      openLink(needs, request, reply, (opened) => respondWithFile(needs.decide, request, reply, opened, file)),
  })
}

function schemaOf(operationId: string, description: string, success: object, ...further: ProblemCode[]) {
  return {
    summary: 'Enter the password of a link',
    operationId,
    description: `${description} Other links have no such form: 405.`,
    tags: ['Visits'],
    params: visitParams,
    body,
    response: {
      ...success,
      ...problems('wrong_password', ...missingOrEnded, ...further),
    },
  }
}

/** Only protected links support POST. Whoever guesses codes by it is charged as on a visit. */
function configOf({ resolve, chargeNotFound }: PasswordNeeds) {
  const supports = async (request: FastifyRequest, reply: FastifyReply) => {
    const resolution = await resolve((request as CodeRequest).params.code)
    const problem = resolution.state === 'unknown' ? await chargeNotFound(request, reply) : undefined
    if (problem !== undefined) throw problem
    return resolution.state === 'protected'
  }
  return { onDomains: true, work: 'creations', isCharged: true, supports } as const
}

const failures: Partial<Record<ProblemCode, Failure>> = {
  wrong_password: 'wrong',
  rate_limited: 'limited',
  unavailable: 'busy',
}

async function openLink(
  needs: PasswordNeeds,
  request: CodeRequest,
  reply: FastifyReply,
  send: (opened: OpenedLink) => FastifyReply | Promise<FastifyReply>,
): Promise<FastifyReply> {
  // A page of another site has sent it: its visitors must not use up their tries there.
  if (isForeign(request)) return sendPasswordForm(request, reply)
  try {
    return await send(await unlock(needs, request))
  } catch (error) {
    const failure = error instanceof Problem ? failures[error.code] : undefined
    if (!(error instanceof Problem) || failure === undefined || !wantsPage(request.headers.accept)) throw error
    return sendPasswordForm(request, reply.code(error.status).headers(error.headers), failure)
  }
}

/** @throws {Problem} 403 for a wrong password, 429 and 503 without checking it, and those of a visit */
async function unlock(needs: PasswordNeeds, request: CodeRequest): Promise<OpenedLink> {
  const { code } = request.params
  const before = await needs.resolve(code)
  if (before.state !== 'protected')
    return { live: requireLive(before, code), reread: createReread(needs.resolve, code) }
  const { id, password } = before.locked
  // Charged first, so that concurrent tries count as well.
  const refund = await needs.chargeGuess(request, id)
  try {
    const right = await needs.verify(typedPassword(request.body), password, { ...needs.holderOf(request), about: id })
    if (right === undefined) throw new WrongPassword()
    // The owner may have changed the link meanwhile.
    const now = await needs.resolve(code)
    const live = now.state === 'protected' ? now.locked.open(right) : requireLive(now, code)
    if (live === undefined) throw new WrongPassword()
    await refund()
    return { live, reread: createReread(needs.resolve, code, right) }
  } catch (error) {
    if (!(error instanceof WrongPassword)) await refund()
    throw error
  }
}

class WrongPassword extends Problem {
  constructor() {
    super('wrong_password', 'this is not the password of the link')
  }
}

function typedPassword(body: unknown): string {
  return (body instanceof URLSearchParams ? body.get('password') : null) ?? ''
}
