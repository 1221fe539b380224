import type { ReadableStream } from 'node:stream/web'
import type { paths, Schemas } from '../../../client/client.ts'
import type { Flags } from '../../../config/sources.ts'
import { StartError } from '../../../lib/start-error.ts'
import { exportOptions, writeBody } from '../export.ts'
import { serviceOptions } from '../options.ts'
import { dataOf } from '../service.ts'
import { campaignOption, given, openOne } from './read.ts'
import { COLLECTION, type Verb } from './verb.ts'

const shared = { server: serviceOptions.server, out: exportOptions.out, campaign: campaignOption } as const

type CodesQuery = NonNullable<paths['/api/collections/codes.zip']['get']['parameters']['query']>

/** Onto what labels are printed when nothing is said. */
const DEFAULT_LABELS = 'avery-l7160'

export const labels: Verb = {
  name: 'labels',
  usage: COLLECTION,
  summary: 'write the codes of a collection as a PDF: onto sheets of labels, or each onto a page of its own',
  options: {
    ...shared,
    labels: {
      type: 'string',
      doc: `the labels, such as avery-5160, or their measures in mm, such as 60x40+2 [${DEFAULT_LABELS}]`,
    },
    paper: { type: 'string', doc: 'without labels, a page for each code: a4, a6, tent-a4, sticker-50 and others' },
    text: { type: 'string', doc: 'beside each code: title, alias, campaign, placement or none [alias]' },
    own: { type: 'string', doc: 'the same text beside each code' },
    style: { type: 'string', doc: 'how texts look: plain, classic or loud [plain]' },
    placements: { type: 'boolean', doc: 'for a link with places, the code of each of them' },
    part: { type: 'string', doc: 'which of the links, when there are more than a file has [1]' },
    start: { type: 'string', doc: 'the first label that is left on the sheet [1]' },
    offset: { type: 'string', doc: 'millimetres to the right and down, such as 0.5,-1' },
  },
  async run(context) {
    const { collection, token } = openOne(context)
    const body = { collection: token, ...given(context, ['campaign', 'style']), ...ontoOf(context.flags) }
    const text = textOf(context.flags)
    const asked = { ...body, ...text, ...(context.flags['placements'] === true && { placements: true }) }
    // The service says what is wrong with these.
    const response = await collection.POST('/api/print', { body: asked as Schemas['Print'], parseAs: 'stream' })
    await writeBody(dataOf<unknown>(response) as ReadableStream<Uint8Array>, context.flags['out'])
    return ''
  },
}

export const codes: Verb = {
  name: 'codes',
  usage: COLLECTION,
  summary: 'write the images of the codes of a collection as a ZIP, up to 500 of them',
  options: {
    ...shared,
    images: { type: 'string', doc: 'svg, png or pdf [svg]' },
    size: { type: 'string', doc: 'pixels of width, of svg and png [512]' },
    names: { type: 'string', doc: 'what files are named by: code or title [code]' },
    part: { type: 'string', doc: 'which of the links, when there are more than a file has [1]' },
  },
  async run(context) {
    const { collection } = openOne(context)
    const { size, part } = context.flags
    const { images: format, ...named } = given(context, ['campaign', 'images', 'names'])
    const query = {
      ...named,
      ...(format !== undefined && { format }),
      ...(size !== undefined && { size: numberOf('size', size) }),
      ...(part !== undefined && { part: numberOf('part', part) }),
    }
    const response = await collection.GET('/api/collections/codes.zip', {
      // The service says what is wrong with these.
      params: { query: query as CodesQuery },
      parseAs: 'stream',
    })
    await writeBody(dataOf<unknown>(response) as ReadableStream<Uint8Array>, context.flags['out'])
    return ''
  },
}

/** @throws {StartError} for both, or what is no number */
function ontoOf(flags: Flags): object {
  const { labels: format, paper, start, offset, part } = flags
  const onto = format === undefined && paper !== undefined ? { paper } : { labels: format ?? DEFAULT_LABELS }
  return {
    ...onto,
    ...(format !== undefined && paper !== undefined && { paper }),
    ...(part !== undefined && { part: numberOf('part', part) }),
    ...(start !== undefined && { start: numberOf('start', start) }),
    ...(offset !== undefined && {
      offset: String(offset)
        .split(',')
        .map((part) => numberOf('offset', part)),
    }),
  }
}

function textOf({ text, own }: Flags): object {
  if (text !== undefined && own !== undefined) throw new StartError('give either --text or --own')
  return own === undefined ? (text === undefined ? {} : { text }) : { text: { own } }
}

function numberOf(flag: string, text: Flags[string]): number {
  const number = Number(text)
  if (text !== '' && Number.isFinite(number)) return number
  throw new StartError(`--${flag} must be ${flag === 'offset' ? 'two numbers such as 0.5,-1' : 'a number'}`)
}
