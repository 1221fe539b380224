import { MAX_PARTS, sendCodesOf, type ArchiveNeeds, type CodesQuery } from '../../collections/archive-routes.ts'
import { route, type Route } from '../../http/route.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import { archiveTexts } from '../../texts/archive.ts'
import { orRefusal } from './label-routes.ts'

interface CodesRoute {
  Params: { token: string }
  Querystring: Record<string, unknown>
}

/** Pixels of width of a PNG, where the form asks for one: 300 dpi at 85 mm. */
const PNG_SIZE = 1024

/** The images of a collection, as the form on its page asks for them: `GET /c/<token>/codes.zip` */
export function codesPageRoute(needs: ArchiveNeeds): Route {
  return route<CodesRoute>({
    schema: { hide: true },
    onSend: forbidCaching,
    config: { work: 'images' },
    handler: (request, reply) =>
      orRefusal(request, reply, {
        form: `/c/${request.params.token}#archive-format`,
        title: (language) => archiveTexts[language].refused,
        async send() {
          const collection = await needs.collections.find(request.params.token)
          return sendCodesOf(needs, { request, reply }, collection, askedBy(request.query))
        },
      }),
  })
}

/** What the form asks for; whatever it cannot ask for has its default. */
function askedBy(query: CodesRoute['Querystring']): CodesQuery {
  const format = (['svg', 'png', 'pdf'] as const).find((each) => each === query['format']) ?? 'svg'
  const { campaign } = query
  const part = Number(query['part'])
  return {
    format,
    names: query['names'] === 'code' ? 'code' : 'title',
    ...(format === 'png' && { size: PNG_SIZE }),
    ...(typeof campaign === 'string' && campaign !== '' && { campaign }),
    ...(Number.isInteger(part) && part > 1 && part <= MAX_PARTS && { part }),
  }
}
