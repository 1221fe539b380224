import { randomUUID } from 'node:crypto'
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { QuirlClient, Schemas } from '../../client/client.ts'
import { MAX_TEXT } from '../../dimensions/cells.ts'
import { dimensionNames, dimensions } from '../../dimensions/dimensions.ts'
import { kinds } from '../../links/kinds/index.ts'
import { MAX_VALUES } from '../../scans/statistics/stats-query.ts'
import { StartError } from '../../lib/start-error.ts'
import type { CommandContext } from '../command.ts'
import { dataOf, openLink, openService, type Service } from '../owner/service.ts'
import type { Created } from '../owner/unprinted.ts'
import type { Creations } from './creations.ts'

const link = z.string().max(2100).describe('The manage_url of the link; or its code, when its token was kept')
const target = z.string().max(2048).describe('The destination: a public http or https URL')
const title = z.string().max(200).describe('A title that only the owner sees')
const day = z.iso.date()
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

/** The filters of statistics. */
const filters = Object.fromEntries(
  dimensions.map(({ name, filter: { example } }) => [
    name,
    z
      .array(z.string().min(1).max(MAX_TEXT))
      .max(MAX_VALUES)
      .optional()
      .describe(
        `Counts only scans with one of these values of the breakdown ${name}, such as ${example}; ~ is unknown`,
      ),
  ]),
)

/** Fields that are absent from a request, rather than undefined. */
function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

/** Registers the tools; each calls the service once. */
export function registerTools(server: McpServer, context: CommandContext, creations: Creations): void {
  const linkOf = (named: string) => openLink({ ...context, args: [named] }).link
  registerCreation(server, context, creations)
  registerChange(server, linkOf)
  server.registerTool(
    'read_link',
    {
      title: 'Read a link',
      description: 'Returns where a link leads, its state and its totals.',
      inputSchema: z.object({ link }),
      annotations: { readOnlyHint: true },
    },
    async (input) => answer(async () => dataOf(await linkOf(input.link).GET('/api/manage'))),
  )
  server.registerTool(
    'read_statistics',
    {
      title: 'Read the statistics of a link',
      description: `Returns scans and visitors by hour, day, week or month, and by ${dimensionNames.join(', ')}.`,
      inputSchema: z.object({
        link,
        days: z.int().min(1).max(365).optional().describe('The length of the window, today included; 30 if absent'),
        from: day.optional().describe('The first day of the window, in place of days; at most 366 days before its end'),
        to: day.optional().describe('The last day of the window; goes with from; today if absent'),
        interval: z.enum(['hour', 'day', 'week', 'month']).optional().describe('hour: at most 31 days; day if absent'),
        tz: z.string().max(64).optional().describe('The IANA time zone in which days begin; UTC if absent'),
        audience: z.enum(['all', 'human', 'bot']).optional(),
        ...filters,
      }),
      annotations: { readOnlyHint: true },
    },
    async ({ link: named, ...query }) =>
      answer(async () => dataOf(await linkOf(named).GET('/api/manage/stats', { params: { query: present(query) } }))),
  )
  registerImages(server, context)
}

function registerCreation(server: McpServer, context: CommandContext, creations: Creations): void {
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
        fields: fields.optional(),
      }),
    },
    async ({ fields: more, ...input }) =>
      answerWith(async () => {
        const service = openService(context)
        const header = { 'idempotency-key': randomUUID() }
        // The service validates every kind.
        const body = { ...more, ...present(input) } as Schemas['UrlLink']
        const client = service.client(service.createKey())
        const created = await creations.run(service, async () =>
          dataOf(await client.POST('/api/links', { body, params: { header } })),
        )
        const { content, ...result } = resultOf(created)
        const fault = context.flags['keep'] === true ? keepFault(service, created) : undefined
        // The token is in no other response.
        return { ...result, content: fault === undefined ? content : [...content, { type: 'text', text: fault }] }
      }),
  )
}

/** Keeps the token. @returns why that failed */
function keepFault({ server, kept }: Service, created: Created): string | undefined {
  try {
    kept.keep(server, [created])
    return undefined
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return `the link was created, but ${error.message}`
  }
}

function registerChange(server: McpServer, linkOf: (named: string) => QuirlClient): void {
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
      answer(async () => dataOf(await linkOf(named).PUT('/api/manage', { body: { ...more, ...present(input) } }))),
  )
}

function registerImages(server: McpServer, context: CommandContext): void {
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
  context: CommandContext,
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

function answer(work: () => Promise<object>): Promise<CallToolResult> {
  return answerWith(async () => resultOf(await work()))
}

function resultOf(data: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: { ...data } }
}

/** A refused request is a result with an error, from which the assistant learns what to correct. */
async function answerWith(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { content: [{ type: 'text', text: error.message }], isError: true }
  }
}
