import type { FastifyReply, FastifyRequest } from 'fastify'
import { problems } from '../http/problem-schema.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { kinds } from '../links/kinds/index.ts'
import type { KindFile } from '../links/kinds/kind.ts'
import { sendFileByRules } from './answer.ts'
import { hasRules } from './decide.ts'
import type { Visits } from './open.ts'
import { sendPasswordForm } from './password-page.ts'
import type { LiveLink, OpenedLink } from './live-link.ts'
import {
  createReread,
  missingOrEnded,
  redirected,
  requireLive,
  sendFile,
  shown,
  visitConfig,
  visitParams,
  type CodeRoute,
} from './routes.ts'

/** The files of links, for each kind that has one. */
export function fileRoutes(visits: Visits): { extension: string; route: Route }[] {
  return kinds.flatMap(({ file, texts }) =>
    file === undefined ? [] : [{ extension: file.extension, route: fileRoute(file, texts.en.name, visits) }],
  )
}

function fileRoute(file: KindFile, label: string, { resolve, decide }: Visits): Route {
  return route<CodeRoute>({
    config: visitConfig,
    schema: {
      summary: `Download the ${file.extension} file of a link`,
      operationId: `download_${file.extension}`,
      description: `For links of the kind "${label}"; nothing is recorded.`,
      tags: ['Visits'],
      params: visitParams,
      response: {
        200: shown('The file; a page that asks for the password of a link that has one.', [file.mediaType]),
        302: redirected('A redirect, where a rule of the link has one.'),
        ...problems(...missingOrEnded, 'not_found'),
      },
    },
    async handler(request, reply) {
      const resolution = await resolve(request.params.code)
      if (resolution.state === 'protected') return sendPasswordForm(request, reply)
      const { code } = request.params
      const opened = { live: requireLive(resolution, code), reread: createReread(resolve, code) }
      return respondWithFile(decide, request, reply, opened, file)
    },
  })
}

/**
 * Sends the file of a link, or what its rules answer. Nothing is recorded.
 * @throws {Problem} 404 when the link has no such file
 */
export function respondWithFile(
  decide: Visits['decide'],
  request: FastifyRequest,
  reply: FastifyReply,
  { live, reread }: OpenedLink,
  file: KindFile,
): FastifyReply | Promise<FastifyReply> {
  requireFile(live, file)
  const send = createSendFile(reply, file)
  return hasRules(live) ? sendFileByRules(decide, request, reply, { live, reread }, send) : send(live)
}

function createSendFile(reply: FastifyReply, file: KindFile): (live: LiveLink) => FastifyReply {
  return (live) => {
    requireFile(live, file)
    return sendFile(reply, live)
  }
}

function requireFile({ kind }: LiveLink, file: KindFile): void {
  if (kind.file !== file) throw new Problem('not_found', `this code has no ${file.extension} file`)
}
