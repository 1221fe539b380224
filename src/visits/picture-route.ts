import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Type } from '#typebox'
import { isNotModified } from '../http/entity-tag.ts'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { Problem } from '../http/problem.ts'
import { sends } from '../http/response-headers.ts'
import { route, type Route } from '../http/route.ts'
import { accentOf } from '../links/kinds/shared/accent.ts'
import type { Images } from '../qr/images.ts'
import { printedAddress } from '../qr/print/printed-address.ts'
import { requesterOf } from '../qr/requester.ts'
import { sendFileByRules } from './answer.ts'
import { hasRules } from './decide.ts'
import type { LiveLink, OpenedLink } from './live-link.ts'
import type { Visits } from './open.ts'
import { createReread, missingOrEnded, redirected, requireLive, visitParams, type CodeRoute } from './routes.ts'
import type { Holder } from '../lib/holder.ts'

/** What the pictures of pages need of the rest of the program. */
export interface PictureNeeds extends Visits {
  origin: Origin
  images: Images
  /** A hook that charges each request for an image. */
  limitImages: onRequestAsyncHookHandler
  /** A key of the request's client that does not reveal its address. */
  holderOf: (request: FastifyRequest) => Holder
}

/** Short, because the picture of a deleted code must disappear. */
const CACHING = 'public, max-age=300'

const picture = {
  description: 'The picture.',
  headers: sends('ETag'),
  content: { 'image/png': { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } },
}

/** The picture of the page of a link, for where its address is shared: `GET /<code>/og.png` */
export function pictureRoute(needs: PictureNeeds): Route {
  return route<CodeRoute>({
    onRequest: needs.limitImages,
    config: { onDomains: true, work: 'images' },
    schema: {
      summary: 'The picture of the page of a link',
      operationId: 'picture',
      description:
        'For links with a page and without a password, as messengers show it (Open Graph); 1200 by 630 pixels. Nothing is recorded.',
      tags: ['Visits'],
      params: visitParams,
      response: {
        200: picture,
        302: redirected('A redirect, where a rule of the link has one.'),
        304: { description: 'The picture has not changed.', type: 'null' },
        ...problems(...missingOrEnded, 'not_found'),
      },
    },
    async handler(request, reply) {
      const { code } = request.params
      const resolution = await needs.resolve(code)
      if (resolution.state === 'protected') throw noPicture()
      return respondWithPicture(needs, request, reply, {
        live: requireLive(resolution, code),
        reread: createReread(needs.resolve, code),
      })
    },
  })
}

function respondWithPicture(
  needs: PictureNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  { live, reread }: OpenedLink,
): FastifyReply | Promise<FastifyReply> {
  const send = (found: LiveLink) => sendPicture(needs, request, reply, found)
  return hasRules(live) ? sendFileByRules(needs.decide, request, reply, { live, reread }, send) : send(live)
}

function noPicture(): Problem {
  return new Problem('not_found', 'this code has no picture')
}

async function sendPicture(
  { images, origin, holderOf }: PictureNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  { code, kind, content }: LiveLink,
): Promise<FastifyReply> {
  const shown = kind.picture?.(content().payload)
  if (shown === undefined) throw noPicture()
  const { title, text, initials, accent } = shown
  const { fill, onFill, light } = accentOf(accent)
  const address = printedAddress(origin.of(request), code)
  const { body, tag } = await images.picture(
    // A colour that would not stand out is replaced by the one that texts have.
    {
      title,
      text,
      initials,
      address,
      fill: [...(light.edge ?? fill), 255],
      onFill: light.edge === undefined ? [...onFill, 255] : [255, 255, 255, 255],
    },
    requesterOf(holderOf, request, reply),
  )
  reply.headers({ etag: tag, 'cache-control': CACHING, 'x-content-type-options': 'nosniff' })
  if (isNotModified(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.type('image/png').send(body)
}
