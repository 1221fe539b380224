import type { ReadableStream } from 'node:stream/web'
import { pagesOfLinks, type LinkSelection, type Schemas } from '../../../client/client.ts'
import { kindNames } from '../../../links/kinds/index.ts'
import { pluralize } from '../../../lib/pluralize.ts'
import { shorten } from '../../../lib/shorten.ts'
import { StartError } from '../../../lib/start-error.ts'
import type { CommandContext } from '../../command.ts'
import { formatTable, formatTime, toSingleLine } from '../../table.ts'
import { exportOptions, formatOf, writeBody } from '../export.ts'
import { openCollection, type ServiceOfCollection } from '../open-collection.ts'
import { printed, serviceOptions } from '../options.ts'
import { dataOf } from '../service.ts'
import { describeBreakdown, describeStatistics, queryOf, statsOptions } from '../stats.ts'
import { COLLECTION, type Verb } from './verb.ts'

/** Links of one request, the most that the service returns. */
const PER_PAGE = 200

export const campaignOption = { type: 'string', doc: 'only links of this campaign; ~: those without one' } as const

export const list: Verb = {
  name: 'list',
  usage: COLLECTION,
  summary: 'list the links of a collection, all of them or those of a search',
  options: {
    ...serviceOptions,
    json: { type: 'boolean', doc: 'print a line of JSON for each link' },
    q: { type: 'string', doc: 'only links with this text in their code, title, campaign, target or content' },
    campaign: campaignOption,
    kind: { type: 'string', doc: `only links of this kind: ${kindNames}` },
    state: { type: 'string', doc: 'only links that are active, paused or removed (blocked for abuse)' },
    sort: { type: 'string', doc: 'by created, title or scans [created]' },
    order: { type: 'string', doc: 'asc or desc [desc; asc with title]' },
  },
  async run(context) {
    const { collection } = openOne(context)
    const links: Schemas['LinkOfCollection'][] = []
    // The service says what is wrong with these.
    const selection = { ...given(context, ['q', 'campaign', 'kind', 'state', 'sort', 'order']), limit: PER_PAGE }
    for await (const page of pagesOfLinks(collection, selection as LinkSelection)) links.push(...dataOf(page).links)
    if (context.flags['json'] === true) return links.map((link) => `${JSON.stringify(link)}\n`).join('')
    return links.length === 0 ? 'no such link' : tableOf(links)
  },
}

export const show: Verb = {
  name: 'show',
  usage: COLLECTION,
  summary: 'show how many links and visits a collection has, its campaigns and its looks',
  options: serviceOptions,
  async run(context) {
    const found = dataOf(await openOne(context).collection.GET('/api/collections'))
    return printed(context.flags, found, describe)
  },
}

export const stats: Verb = {
  name: 'stats',
  usage: COLLECTION,
  summary: 'show the visits of all links of a collection, or of a campaign',
  options: { ...serviceOptions, ...statsOptions, campaign: campaignOption },
  async run(context) {
    const { collection, keptAs } = openOne(context)
    const query = { ...queryOf(context), ...given(context, ['campaign']) }
    const found = dataOf(await collection.GET('/api/collections/stats', { params: { query } }))
    const name = query['campaign'] ?? keptAs ?? 'the collection'
    return printed(context.flags, found, (data) =>
      [
        describeStatistics(`${toSingleLine(name)} (${pluralize(data.links, 'link')})`, data, query.interval),
        ...describeBreakdown('link', data.breakdowns.link.map(withTitle)),
        ...describeBreakdown('campaign', data.breakdowns.campaign),
      ].join('\n'),
    )
  },
}

export const exportScans: Verb = {
  name: 'export',
  usage: COLLECTION,
  summary: 'write every visit of the links of a collection as CSV or JSON, to standard output or a file',
  options: { server: serviceOptions.server, ...exportOptions, campaign: campaignOption },
  async run(context) {
    const format = formatOf(context.flags)
    const { collection } = openOne(context)
    const response = await collection.GET(`/api/collections/scans.${format}`, {
      params: { query: given(context, ['campaign']) },
      parseAs: 'stream',
    })
    await writeBody(dataOf<unknown>(response) as ReadableStream<Uint8Array>, context.flags['out'])
    return ''
  },
}

export function openOne({ args: [named, ...more], flags, env }: CommandContext): ServiceOfCollection {
  if (more.length > 0) throw new StartError('give one collection')
  return openCollection({ flags, env }, named)
}

/** The flags of these names that are set. */
export function given<Name extends string>({ flags }: CommandContext, names: Name[]): { [N in Name]?: string } {
  const set = names.filter((name) => flags[name] !== undefined)
  return Object.fromEntries(set.map((name) => [name, String(flags[name])])) as { [N in Name]?: string }
}

function tableOf(links: Schemas['LinkOfCollection'][]): string {
  const rows = links.map(({ code, title, campaign: tag, totals, ...link }) => [
    code,
    shorten(toSingleLine(title ?? '-')),
    shorten(toSingleLine(tag ?? '-')),
    String(totals.scans),
    stateOf(link),
    toSingleLine(link.target ?? link.kind),
  ])
  return formatTable([['CODE', 'TITLE', 'CAMPAIGN', 'VISITS', 'STATE', 'LEADS TO'], ...rows])
}

function stateOf({ active, removed }: Pick<Schemas['LinkOfCollection'], 'active' | 'removed'>): string {
  if (removed !== null) return 'removed'
  return active ? 'active' : 'paused'
}

function describe({ name, created_at: at, links, campaigns, looks, totals }: Schemas['Collection']): string {
  const { scans, humans, last_scan_at: last } = totals
  const rows = campaigns.map(({ value, links: count, scans: visits }) => [
    value === null ? '(none)' : shorten(toSingleLine(value)),
    String(count),
    String(visits),
  ])
  const looked = Object.keys(looks)
  return [
    `${toSingleLine(name ?? 'A collection without a name')}, created ${formatTime(Date.parse(at))} (UTC)`,
    `${pluralize(links, 'link')}, ${pluralize(scans, 'visit')}, ${humans} by people${last === null ? '' : `, the last at ${formatTime(Date.parse(last))} (UTC)`}`,
    ...(rows.length === 0 ? [] : ['', formatTable([['CAMPAIGN', 'LINKS', 'VISITS'], ...rows])]),
    ...(looked.length === 0 ? [] : ['', `looks: ${looked.join(', ')}`]),
  ].join('\n')
}

function withTitle({ code, title, scans }: Schemas['LinkCount']): { value: string; scans: number } {
  return { value: title === null ? code : `${code}  ${shorten(title)}`, scans }
}
