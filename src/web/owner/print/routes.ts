import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { pageLanguage } from '../../../http/accept.ts'
import { addVary } from '../../../http/compress.ts'
import { sendPage } from '../../../http/document.ts'
import type { Origin } from '../../../http/origin.ts'
import { Problem } from '../../../http/problem.ts'
import { route, type Route } from '../../../http/route.ts'
import { forbidCaching } from '../../../links/api/owner-routes.ts'
import type { Links } from '../../../links/open.ts'
import type { Limits } from '../../../limits/open.ts'
import type { Design } from '../../../qr/design/schema.ts'
import type { CheckedImage } from '../../../qr/images.ts'
import type { Qr } from '../../../qr/open.ts'
import { pageJob } from '../../../qr/print-route.ts'
import type { PageJob, Poster } from '../../../qr/print/poster.ts'
import { printedAddress } from '../../../qr/print/printed-address.ts'
import { posterOf } from '../../../qr/print/query.ts'
import { requesterOf } from '../../../qr/requester.ts'
import { scriptsOf, type Assets } from '../../assets.ts'
import { accessByToken, accessInCollection } from '../access.ts'
import { printPage } from './page.ts'
import { readFields } from './query.ts'
import type { PrintView, Sheet } from './view.ts'

/** What the page needs from the rest of the program. */
export interface PrintPageNeeds extends Pick<Qr, 'images' | 'codeText'> {
  links: Pick<Links, 'readByToken'>
  /** A hook that charges each request for an image. */
  limitImages: onRequestAsyncHookHandler
  limits: Pick<Limits, 'holderOf' | 'turnToRender'>
  origin: Origin
  assets: Pick<Assets, 'islands'>
}

interface PrintRoute {
  Params: { token: string; code?: string }
  Querystring: Record<string, unknown>
}
type PrintRequest = FastifyRequest<PrintRoute>

/** The page on which an owner prints a code: `/m/<token>/print`, `/c/<token of a collection>/<code>/print` */
export function printPageRoute(needs: PrintPageNeeds): Route {
  return route<PrintRoute>({
    schema: { hide: true },
    onRequest: needs.limitImages,
    onSend: forbidCaching,
    config: { work: 'images' },
    async handler(request, reply) {
      const view = await viewOf(needs, request, reply)
      addVary(reply, 'accept-language')
      await needs.limits.turnToRender(request)
      const isRefused = view.problem !== undefined || view.errors.length > 0
      return sendPage(isRefused ? reply.code(400) : reply, printPage(view))
    },
  })
}

async function viewOf(needs: PrintPageNeeds, request: PrintRequest, reply: FastifyReply): Promise<PrintView> {
  const { token, code } = request.params
  const access = code === undefined ? accessByToken(token) : accessInCollection(token, code)
  const { link, design: saved } = await needs.links.readByToken(access.credential)
  // It was valid when it was saved.
  const design: Design | undefined = saved
  const language = pageLanguage(request)
  const { fields, errors } = readFields(request.query, link, language)
  const view = {
    link,
    access,
    language,
    origin: needs.origin.of(request),
    fields,
    errors,
    hasLogo: design?.logo !== undefined,
    scripts: scriptsOf(needs.assets.islands, 'print'),
  }
  const draw = drawerOf(needs, design, view, requesterOf(needs.limits.holderOf, request, reply))
  return { ...view, ...(link.suspension === null ? await drawn(draw, view) : nothing) }
}

type Drawn = Pick<PrintView, 'sheet' | 'sizes' | 'problem'>

const nothing: Drawn = { sheet: undefined, sizes: undefined, problem: undefined }

type Drawer = (change?: Partial<Poster>) => Promise<Sheet>

/** Draws the page as its fields say, and with what is changed. */
function drawerOf(
  { images, codeText }: PrintPageNeeds,
  design: Design | undefined,
  { link, origin, fields, hasLogo }: Pick<PrintView, 'link' | 'origin' | 'fields' | 'hasLogo'>,
  requester: ReturnType<typeof requesterOf>,
): Drawer {
  const { placement } = fields
  const text = codeText(link.code, origin, { ...(placement !== undefined && { placement }) })
  const poster = posterOf(fields, printedAddress(origin, link.code))
  return async (change = {}) => {
    const changed = { ...poster, logo: poster.logo && hasLogo, ...change }
    const job: PageJob = { ...pageJob(text, design, changed), format: 'svg' }
    return sheetOf(await images.designed(job, requester))
  }
}

function sheetOf({ body, page, report }: CheckedImage): Sheet {
  if (page === undefined) throw new Error('no page was drawn')
  return { ...page, svg: body.toString(), report }
}

/**
 * What the page shows. Where its fields cannot be drawn, sizes are those of an empty poster.
 * @throws {Problem} 503 when too many images are being drawn
 */
async function drawn(draw: Drawer, { errors }: Pick<PrintView, 'errors'>): Promise<Drawn> {
  const sheet = errors.length > 0 ? undefined : await unlessRefused(draw())
  if (sheet !== undefined && !(sheet instanceof Problem)) return { sheet, sizes: sheet, problem: undefined }
  const empty = await unlessRefused(
    draw({ paper: 'a4', style: 'plain', title: '', text: '', address: '', logo: false }),
  )
  return { sheet: undefined, sizes: empty instanceof Problem ? undefined : empty, problem: sheet }
}

async function unlessRefused(sheet: Promise<Sheet>): Promise<Sheet | Problem> {
  try {
    return await sheet
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return error
    throw error
  }
}
