import type { FastifyRequest } from 'fastify'
import type { Collections } from '../../collections/open.ts'
import { Problem } from '../../http/problem.ts'
import type { Origin } from '../../http/origin.ts'
import { route, type Route } from '../../http/route.ts'
import type { Limits } from '../../limits/open.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import type { Design } from '../../qr/design/schema.ts'
import type { Images } from '../../qr/images.ts'
import { requesterOf } from '../../qr/requester.ts'
import { sendImage } from '../../qr/send.ts'
import type { DataImageNeeds } from '../../qr/routes.ts'

/** What the image of a look needs from the rest of the program. */
export interface LookImageNeeds extends Pick<DataImageNeeds, 'limitImages'> {
  collections: Pick<Collections, 'find' | 'look'>
  limits: Pick<Limits, 'turnToRender' | 'holderOf'>
  images: Pick<Images, 'designed'>
  origin: Origin
  codeText: (code: string, origin: string) => string
}

interface LookRoute {
  Params: { token: string; look: string }
}

/** As long as random codes: what the image shows is the look. */
const SAMPLE_CODE = '2345678'

/** What a look looks like: `/c/<token>/looks/<name>` */
export function lookImageRoute({ collections, images, origin, codeText, limits, limitImages }: LookImageNeeds): Route {
  return route<LookRoute>({
    schema: { hide: true },
    config: { work: 'images' },
    onRequest: limitImages,
    onSend: forbidCaching,
    async handler(request: FastifyRequest<LookRoute>, reply) {
      const { token, look } = request.params
      const collection = await collections.find(token)
      await limits.turnToRender(request)
      const design = await collections.look(collection, look)
      if (design === undefined) throw new Problem('not_found', 'the collection has no look of this name')
      const text = codeText(SAMPLE_CODE, origin.of(request))
      // It was valid when it was saved.
      const job = { text, design: design as Design, at: '/design', format: 'svg', size: 192 } as const
      const image = await images.designed(job, requesterOf(limits.holderOf, request, reply))
      return sendImage(request, reply, image, { name: 'look', format: 'svg' })
    },
  })
}
