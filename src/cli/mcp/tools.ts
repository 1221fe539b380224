import { randomUUID } from 'node:crypto'
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Schemas } from '../../client/client.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { kinds } from '../../links/kinds/index.ts'
import { StartError } from '../../lib/start-error.ts'
import { openForCreation } from '../owner/open-collection.ts'
import { openLink, type ServiceOfLink } from '../owner/open-link.ts'
import { dataOf, openService } from '../owner/service.ts'
import { keepUnprinted } from '../owner/unprinted.ts'
import type { ToolContext } from './context.ts'
import { collection, registerCollectionTools } from './collection-tools.ts'
import type { Creations } from './creations.ts'
import { answer, answerWith, present, resultOfCreation } from './results.ts'
import { statisticsInput } from './statistics-input.ts'

const link = z
  .string()
  .max(2100)
  .describe('The manage_url of the link; or its code, when its token or that of a collection with it was kept')
const target = z.string().max(2048).describe('The destination: a public http or https URL')
const title = z.string().max(200).describe('A title that only the owner sees')
const look = z.string().max(40).describe('The name of a look of the collection, which the QR images get')
const fields = z
  .record(z.string(), z.unknown())
  .describe(
    `Further fields of the API, such as utm, campaign, rules, placements, design, or those of a kind: ${ownFields()}`,
  )

/** The fields of each kind that has some. */
function ownFields(): string {
  const named = kinds.map(({ name, fields }) => ({ name, fields: Object.keys(fields.properties) }))
  const known = named.filter(({ fields }) => fields.length > 0)
  return known.map(({ name, fields }) => `${name} has ${fields.join(', ')}`).join('; ')
}

/** Registers the tools; each calls the service once. */
export function registerTools(server: McpServer, context: ToolContext, creations: Creations): void {
  const linkOf = (named: string) => openLink({ ...context, args: [named] })
  registerCreation(server, context, creations)
  registerCollectionTools(server, context, creations)
  registerChange(server, linkOf)
  server.registerTool(
    'read_link',
    {
      title: 'Read a link',
      description: 'Returns where a link leads, its state and its totals.',
      inputSchema: z.object({ link }),
      annotations: { readOnlyHint: true },
    },
    async (input) =>
      answer(async () => {
        const opened = await linkOf(input.link)
        return withoutKey(opened, dataOf(await opened.link.GET('/api/manage')))
      }),
  )
  server.registerTool(
    'read_statistics',
    {
      title: 'Read the statistics of a link',
      description: `Returns scans and visitors by hour, day, week or month, and by ${dimensionNames.join(', ')}.`,
      inputSchema: z.object({
        link,
        ...statisticsInput,
      }),
      annotations: { readOnlyHint: true },
    },
    async ({ link: named, ...query }) =>
      answer(async () => {
        const { link: opened } = await linkOf(named)
        return dataOf(await opened.GET('/api/manage/stats', { params: { query: present(query) } }))
      }),
  )
  registerImages(server, context)
}

function registerCreation(server: McpServer, context: ToolContext, creations: Creations): void {
  server.registerTool(
    'create_link',
    {
      title: 'Create a short link',
      description: 'Creates a short link with a QR code. Only this response has the secret that manages it.',
      inputSchema: z.object({
        target: target.optional(),
        kind: z.enum(kinds.map(({ name }) => name)).optional(),
        alias: z.string().max(64).optional().describe('The code, in place of a random one'),
        title: title.optional(),
        collection: collection
          .optional()
          .describe('The collection that the link joins: its manage_url, or its kept name'),
        look: look.optional(),
        fields: fields.optional(),
      }),
    },
    async ({ fields: more, collection: named, look: chosen, ...input }) =>
      answerWith(async () => {
        const flags = { ...context.flags, ...(named !== undefined && { collection: named }) }
        const { service, header: joining } = openForCreation({ ...context, flags })
        const header = { 'idempotency-key': randomUUID(), ...joining }
        const design = chosen === undefined ? {} : { design: { look: chosen } }
        // The service validates every kind.
        const body = { ...more, ...present(input), ...design } as Schemas['UrlLink']
        const client = service.client(service.createKey())
        const created = await creations.run(
          async () => dataOf(await client.POST('/api/links', { body, params: { header } })),
          (made) => keepUnprinted(service, [made]),
        )
        const keep = () => service.kept.keep(service.server, [created])
        return resultOfCreation(created, 'the link', context.flags['keep'] === true ? keep : undefined)
      }),
  )
}

function registerChange(server: McpServer, linkOf: (named: string) => Promise<ServiceOfLink>): void {
  server.registerTool(
    'change_link',
    {
      title: 'Change a link',
      description: 'Changes where a link leads, pauses it (active: false), or changes other fields; absent ones stay.',
      inputSchema: z.object({
        link,
        target: target.optional(),
        title: title.optional(),
        active: z.boolean().optional(),
        fields: fields.optional(),
      }),
      annotations: { idempotentHint: true },
    },
    async ({ link: named, fields: more, ...input }) =>
      answer(async () => {
        const opened = await linkOf(named)
        const body = { ...more, ...present(input) }
        return withoutKey(opened, dataOf(await opened.link.PUT('/api/manage', { body })))
      }),
  )
}

/** Leaves out the address of the collection that has opened the link: it is the key to every link in it. */
function withoutKey({ isCollected }: ServiceOfLink, { manage_url: page, ...details }: Schemas['LinkDetails']): object {
  return isCollected ? details : { ...details, manage_url: page }
}

function registerImages(server: McpServer, context: ToolContext): void {
  server.registerTool(
    'draw_qr_code',
    {
      title: 'Draw a QR code',
      description: 'Returns the QR code of a short link by its code, or of any text, as a PNG image.',
      inputSchema: z.object({
        code: z.string().max(64).optional().describe('The code of a link'),
        placement: z.string().max(32).optional().describe('The id of a placement of this link: the code of that place'),
        data: z.string().max(4296).optional().describe('Any text or URL, when there is no link'),
      }),
      annotations: { readOnlyHint: true },
    },
    async (input) => answerWith(async () => imageOf(await drawCode(context, present(input)))),
  )
}

async function drawCode(
  context: ToolContext,
  { code, placement, data }: { code?: string; placement?: string; data?: string },
): Promise<ArrayBuffer> {
  const client = openService(context).client()
  if (code !== undefined && data === undefined)
    return dataOf<unknown>(
      await client.GET('/{code}/qr.png', {
        params: { path: { code }, query: present({ placement }) },
        parseAs: 'arrayBuffer',
      }),
    ) as ArrayBuffer
  if (data !== undefined && code === undefined && placement === undefined)
    return dataOf<unknown>(
      await client.GET('/api/qr', { params: { query: { data, format: 'png' } }, parseAs: 'arrayBuffer' }),
    ) as ArrayBuffer
  throw new StartError('give either code or data; placement goes with code')
}

function imageOf(image: ArrayBuffer): CallToolResult {
  return { content: [{ type: 'image', data: Buffer.from(image).toString('base64'), mimeType: 'image/png' }] }
}
