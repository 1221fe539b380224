import { randomUUID } from 'node:crypto'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { LinkSelection } from '../../client/client.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { kinds } from '../../links/kinds/index.ts'
import { nameOf } from '../owner/collection/create.ts'
import { tokensOfLinks } from '../owner/collection/members.ts'
import { openCollection } from '../owner/open-collection.ts'
import { dataOf, openService } from '../owner/service.ts'
import { keepUnprintedCollection } from '../owner/unprinted.ts'
import type { ToolContext } from './context.ts'
import type { Creations } from './creations.ts'
import { answer, answerWith, present, resultOfCreation } from './results.ts'
import { statisticsInput } from './statistics-input.ts'

/** Links that one call adds, and that one page of a list has. */
const MAX_ADDED = 100
const MAX_LISTED = 200

export const collection = z
  .string()
  .max(2100)
  .describe('The manage_url of the collection; or its name, when its token was kept')
const campaign = z.string().max(100).describe('Only links of this campaign; ~: those without one')

/** Registers the tools for collections; each calls the service once. */
export function registerCollectionTools(server: McpServer, context: ToolContext, creations: Creations): void {
  registerCreation(server, context, creations)
  registerJoining(server, context)
  registerReading(server, context)
  registerStatistics(server, context)
}

function registerCreation(server: McpServer, context: ToolContext, creations: Creations): void {
  server.registerTool(
    'create_collection',
    {
      title: 'Create a collection',
      description:
        'Creates an empty collection: one key for many links, with statistics of all. Only this response has the secret that manages it and every link in it.',
      inputSchema: z.object({
        name: z.string().min(1).max(100).optional().describe('A name that only the owner sees'),
      }),
    },
    async (input) =>
      answerWith(async () => {
        const service = openService(context)
        const client = service.client(service.createKey())
        const params = { header: { 'idempotency-key': randomUUID() } }
        const created = await creations.run(
          async () => dataOf(await client.POST('/api/collections', { body: present(input), params })),
          (made) => keepUnprintedCollection(service, { ...made, name: nameOf(made) }, 'a collection was created'),
        )
        const { collections, server: at } = service
        const keep = () => void collections.keepAs(at, nameOf(created), created.token)
        return resultOfCreation(created, 'the collection', context.flags['keep'] === true ? keep : undefined)
      }),
  )
}

function registerJoining(server: McpServer, context: ToolContext): void {
  server.registerTool(
    'add_to_collection',
    {
      title: 'Add links to a collection',
      description: 'Adds links that exist; new ones join by the field collection of create_link.',
      inputSchema: z.object({
        collection,
        links: z
          .array(z.string().max(2100))
          .min(1)
          .max(MAX_ADDED)
          .describe('For each link its manage_url; or its code, when its token was kept'),
      }),
      annotations: { idempotentHint: true },
    },
    async (input) =>
      answer(async () => {
        const opened = openCollection(context, input.collection)
        const body = { tokens: tokensOfLinks(input.links, opened) }
        return dataOf(await opened.collection.POST('/api/collections/links', { body }))
      }),
  )
}

function registerReading(server: McpServer, context: ToolContext): void {
  const annotations = { readOnlyHint: true }
  server.registerTool(
    'read_collection',
    {
      title: 'Read a collection',
      description: 'Returns the number of its links, its campaigns, its looks and its totals.',
      inputSchema: z.object({ collection }),
      annotations,
    },
    async (input) =>
      answer(async () => dataOf(await openCollection(context, input.collection).collection.GET('/api/collections'))),
  )
  server.registerTool(
    'list_links',
    {
      title: 'List or search the links of a collection',
      description: 'Returns a page of links with their totals; next is the cursor of the next page, or null.',
      inputSchema: z.object({
        collection,
        q: z.string().max(200).optional().describe('A part of the code, title, campaign, target or content'),
        campaign: campaign.optional(),
        kind: z.enum(kinds.map(({ name }) => name)).optional(),
        state: z.enum(['active', 'paused', 'removed']).optional(),
        sort: z.enum(['created', 'title', 'scans']).optional(),
        order: z.enum(['asc', 'desc']).optional(),
        limit: z.int().min(1).max(MAX_LISTED).optional().describe('Links of a page; 50 if absent'),
        cursor: z.string().max(2048).optional().describe('next of the page before'),
      }),
      annotations,
    },
    async ({ collection: named, ...input }) =>
      answer(async () => {
        const opened = openCollection(context, named)
        const query = present(input) as LinkSelection
        return dataOf(await opened.collection.GET('/api/collections/links', { params: { query } }))
      }),
  )
}

function registerStatistics(server: McpServer, context: ToolContext): void {
  server.registerTool(
    'read_collection_statistics',
    {
      title: 'Read the statistics of a collection or a campaign',
      description: `Returns scans and visitors of all its links, or of a campaign, over time, by link, by campaign, and by ${dimensionNames.join(', ')}.`,
      inputSchema: z.object({ collection, campaign: campaign.optional(), ...statisticsInput }),
      annotations: { readOnlyHint: true },
    },
    async ({ collection: named, ...query }) =>
      answer(async () => {
        const opened = openCollection(context, named)
        return dataOf(await opened.collection.GET('/api/collections/stats', { params: { query: present(query) } }))
      }),
  )
}
