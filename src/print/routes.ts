import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Type, type Static } from '#typebox'
import { warnOfLocalUrl } from '../http/local-address.ts'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { sends } from '../http/response-headers.ts'
import { route, type Route } from '../http/route.ts'
import type { Limits } from '../limits/open.ts'
import { forbidCaching } from '../links/api/owner-routes.ts'
import type { Qr } from '../qr/open.ts'
import { paperSizes, type Paper } from '../qr/print/labels.ts'
import { printedAddress } from '../qr/print/printed-address.ts'
import { requesterOf } from '../qr/requester.ts'
import type { SheetLayout } from '../qr/print/sheet-job.ts'
import { languages } from '../texts/language.ts'
import { rowsOf, type Charges, type PrintRow, type RowsNeeds } from './rows.ts'
import { printBody, readPrint, type PrintBody } from './schemas.ts'
import { captionOf, codesOf, layoutOf, type PrintCode } from './sheet.ts'

/** What sheets of codes need of the rest of the program. */
export interface PrintNeeds extends Omit<RowsNeeds, 'turn'> {
  origin: Origin
  limits: Pick<Limits, 'charge' | 'chargeNotFound' | 'holderOf' | 'turnToRender'>
  /** A hook that charges each request for an image. */
  limitImages: onRequestAsyncHookHandler
  qr: Pick<Qr, 'sheets' | 'codeText'>
}

/** Codes that count as one image. */
const CODES_PER_UNIT = 50
/** A thousand tokens have 46 KB. */
const BODY_LIMIT = 256 * 1024

const tags = ['QR images']

const pdf = {
  description: 'The PDF.',
  headers: sends('Content-Disposition', 'Quirl-Warning'),
  content: { 'application/pdf': { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } },
}

/** Sheets of labels, or a page for each of many codes: `POST /api/print` */
export function printSheetRoute(needs: PrintNeeds): Route {
  return route({
    config: { work: 'images', isCharged: true },
    bodyLimit: BODY_LIMIT,
    onSend: forbidCaching,
    schema: {
      summary: 'Print the QR codes of many links',
      operationId: 'print',
      description:
        'A PDF with the codes of up to 1,000 links, or of their placements, on sheets of labels or each on a page of its own. Each has the ' +
        'design of its link, and can be scanned. Sheets count as one image for every 50 codes, or for each of their different designs. If one of them does not fit, or a text cannot ' +
        'be printed, nothing is: the errors name each.',
      tags,
      body: printBody,
      response: {
        200: pdf,
        ...problems(
          'unscannable',
          'text_too_long',
          'text_not_printable',
          'unknown_code',
          'collection_not_found',
          'code_gone',
          'code_removed',
          'code_removed_by_law',
        ),
      },
    },
    handler: (request, reply) => sendSheets(needs, request, reply),
  })
}

async function sendSheets(needs: PrintNeeds, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = readPrint(request.body)
  layoutOf(body)
  const charges = chargesOf(needs, request, reply)
  const rows = await rowsOf({ ...needs, turn: () => needs.limits.turnToRender(request) }, body, charges)
  return sendCodes(needs, { request, reply, charges }, body, rows)
}

/** What the codes of a request cost its client. */
export function chargesOf(
  { limits }: Pick<PrintNeeds, 'limits'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Charges {
  let charged = 0
  return {
    async charge(codes) {
      const more = unitsOf(codes) - charged
      if (more <= 0) return
      await limits.charge(request, reply, 'qr', more)
      charged += more
    },
    chargeNotFound: () => limits.chargeNotFound(request, reply),
  }
}

const unitsOf = (codes: number) => Math.ceil(codes / CODES_PER_UNIT)

/** What drawing sheets needs of the rest of the program. */
export type SheetNeeds = Pick<PrintNeeds, 'origin' | 'qr'> & {
  limits: Pick<Limits, 'charge' | 'holderOf' | 'turnToRender'>
}

/** A request whose links were charged; they may have more codes. */
export interface SheetRequest {
  request: FastifyRequest
  reply: FastifyReply
  charges: Pick<Charges, 'charge'>
}

/** Draws the codes of links, and sends them. @throws {Problem} 400, 429, 503 */
export async function sendCodes(
  needs: SheetNeeds,
  { request, reply, charges }: SheetRequest,
  body: PrintBody,
  rows: PrintRow[],
): Promise<FastifyReply> {
  const { limits, qr } = needs
  const onto = layoutOf(body)
  const codes = codesOf(rows, body)
  await charges.charge(codes.length)
  const origin = needs.origin.of(request)
  const drawn = codes.map((code) => ({
    linkId: code.link.id,
    text: qr.codeText(code.link.code, origin, code.placement && { placement: code.placement.id }),
    caption: captionOf(code, body.text),
    address: onto.kind === 'pages' ? printedAddress(origin, code.link.code) : '',
    name: nameOf(code),
  }))
  const requester = requesterOf(limits.holderOf, request, reply)
  // A logo takes as long as an image.
  const chargeDesigns = (designs: number) => charges.charge(designs * CODES_PER_UNIT)
  const turn = () => needs.limits.turnToRender(request)
  const { receivedAt } = reply.raw
  const how = { onto, style: body.style ?? 'plain', turn, chargeDesigns, receivedAt }
  const file = await qr.sheets.draw(drawn, how, requester)
  warnOfLocalUrl(reply, origin)
  return sendPdf(reply, file, fileName(onto))
}

function nameOf({ link, placement }: PrintCode): string {
  return placement === undefined ? link.code : `${link.code} (${placement.id})`
}

function fileName(onto: SheetLayout): string {
  const onWhat = onto.kind === 'labels' ? onto.format.id.replaceAll(/[^\w.-]+/g, '-') : onto.paper
  return `codes-${onWhat}`
}

function sendPdf(reply: FastifyReply, file: Buffer, name: string): FastifyReply {
  return reply
    .headers({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${name}.pdf"`,
      'x-content-type-options': 'nosniff',
    })
    .send(file)
}

const calibrationQuery = Type.Object({
  paper: Type.Optional(Type.Enum(Object.keys(paperSizes) as Paper[], { default: 'a4' })),
  language: Type.Optional(Type.Enum([...languages], { default: 'en', description: 'The language of the page.' })),
})

/** The page that shows how far a printer moves and scales what it prints: `GET /api/print/calibration.pdf` */
export function calibrationRoute({ qr, limits, limitImages }: PrintNeeds): Route {
  return route<{ Querystring: Static<typeof calibrationQuery> }>({
    onRequest: limitImages,
    config: { work: 'images' },
    schema: {
      summary: 'A page to calibrate a printer with',
      operationId: 'calibration_pdf',
      description:
        'Two rulers of 100 mm, and four crosses at 20 mm from the edges of the paper: how far they are off is what `offset` of sheets makes good.',
      tags,
      querystring: calibrationQuery,
      response: { 200: { ...pdf, headers: sends('Content-Disposition') } },
    },
    async handler(request, reply) {
      const { paper = 'a4', language = 'en' } = request.query
      const file = await qr.sheets.calibration({ paper, language }, requesterOf(limits.holderOf, request, reply))
      reply.header('cache-control', 'public, max-age=86400')
      return sendPdf(reply, file, `calibration-${paper}`)
    },
  })
}
