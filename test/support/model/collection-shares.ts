import assert from 'node:assert/strict'
import { MAX_SHARES } from '../../../src/shares/bounds.ts'
import { fc } from '../fast-check.ts'
import { post, withoutWarnings } from '../server.ts'
import { byKey, keyOf, membersOf, MOST, type ByKey, type Keyed, type ModelCollection } from './collection.ts'
import { problemOf } from './collections.ts'
import { command, fieldsOf, type CommandKind, type ModelLink, type World } from './model.ts'
import { leadsOf } from './shares.ts'

/** A share of the links of a collection. */
export interface ModelCollectionShare {
  /** The response to its creation. */
  created: Described & { share_url: string; share_token: string }
  isRevoked: boolean
}

interface Described {
  id: string
  name: string | null
  /** `~` for the links without one; null for all. */
  campaign: string | null
  csv: boolean
  destination: boolean
  created_at: string
}

const options = {
  campaign: fc.constantFrom(null, null, 'spring', '~'),
  csv: fc.boolean(),
  destination: fc.boolean(),
}
type Options = Pick<Described, 'campaign' | 'csv' | 'destination'>
const at = fc.nat(5)

/** Shares of collections that owners create and revoke, and what they show. */
export const collectionShares: CommandKind[] = [
  command('share collection', 3, { ...byKey, ...options }, share),
  command('revoke share of collection', 1, { ...byKey, at }, async (world, { at, ...by }) => {
    const { it, works, url } = keyOf(world, by) ?? {}
    if (it === undefined) return
    const one = it.shares[at % it.shares.length]
    const response = await fetch(`${url}/shares/${one?.created.id ?? 'none'}`, { method: 'DELETE' })
    if (works !== true) return assert.deepEqual(await problemOf(response), [404, 'collection_not_found'])
    if (one === undefined || one.isRevoked) return assert.deepEqual(await problemOf(response), [404, 'unknown_share'])
    assert.equal(response.status, 200)
    one.isRevoked = true
  }),
  command('read share of collection', 3, { collection: fc.nat(MOST - 1), at }, async (world, { collection, at }) => {
    const it = world.collections[collection % world.collections.length]
    const one = it?.shares[at % it.shares.length]
    if (it !== undefined && one !== undefined) await readShare(world, it, one)
  }),
]

async function share(world: World, { campaign, csv, destination, ...by }: ByKey & Options): Promise<void> {
  const { it, works, url } = keyOf(world, by) ?? {}
  if (it === undefined) return
  const response = await post(`${url}/share`, { ...(campaign !== null && { campaign }), csv, destination })
  if (works !== true) return assert.deepEqual(await problemOf(response), [404, 'collection_not_found'])
  if (it.shares.filter(({ isRevoked }) => !isRevoked).length === MAX_SHARES)
    return assert.deepEqual(await problemOf(response), [409, 'too_many_shares'])
  const created = withoutWarnings((await response.json()) as ModelCollectionShare['created'])
  const { share_url: shareUrl, share_token: token, id: _id, ...described } = created
  const createdAt = new Date(world.now).toISOString()
  assert.deepEqual(
    [response.status, described],
    [201, { name: null, campaign, csv, destination, created_at: createdAt }],
  )
  assert.equal(shareUrl, `${world.server.url}/s/${token}`)
  it.shares.push({ created, isRevoked: false })
}

/** What a share says of links, in short. */
interface SharedStats {
  links: number
  totals: { scans: number; humans: number; bots: number }
  breakdowns: { link: { code: string; title: string | null; scans: number; destinations?: string[] }[] }
}

async function readShare(world: World, it: ModelCollection, share: ModelCollectionShare): Promise<void> {
  const { share_token: token, campaign, csv, destination } = share.created
  const { url } = world.server
  const stats = await fetch(`${url}/api/share/${token}/stats?days=365`)
  const file = await fetch(`${url}/api/share/${token}/scans.csv`)
  const page = await fetch(`${url}/s/${token}`)
  const works = !share.isRevoked && !it.isEnded
  const statuses = [stats, file, page].map(({ status }) => status)
  assert.deepEqual(statuses, works ? [200, csv ? 200 : 403, 200] : [404, 404, 404])
  const [text, exported] = [await page.text(), await file.text()]
  if (!works) return stats.body?.cancel()
  const links = membersOf(world, it).filter((one) => isOf(one, campaign))
  const scans = links.flatMap((one) => one.scans)
  const read = (await stats.json()) as SharedStats
  const { scans: all, humans, bots } = read.totals
  const people = scans.filter(({ bot }) => !bot).length
  assert.deepEqual([read.links, all, humans, bots], [links.length, scans.length, people, scans.length - people])
  const visited = links.filter((one) => one.scans.length > 0)
  const counts = visited.map((one) => {
    const leads = destination && one.password === null ? leadsOf(one).toSorted() : undefined
    return { code: one.link.code, title: fieldsOf(one).title, scans: one.scans.length, leads }
  })
  const shown = read.breakdowns.link.map(({ code, title, scans, destinations }) => {
    return { code, title, scans, leads: destinations?.toSorted() }
  })
  assert.deepEqual(shown.toSorted(byCode), counts.toSorted(byCode))
  for (const one of world.links) assert.ok(links.includes(one) || !text.includes(one.link.code), one.link.code)
  const codes = visited.flatMap(({ link, scans }) => scans.map(() => link.code))
  if (csv) assert.deepEqual(codesIn(exported), codes.toSorted())
}

const byCode = (one: { code: string }, other: { code: string }) => (one.code < other.code ? -1 : 1)

/** Compares the list of the shares of each collection, and reads each share by its token. */
export async function checkCollectionShares(world: World): Promise<void> {
  for (const [collection, it] of world.collections.entries()) {
    for (const share of it.shares) await readShare(world, it, share)
    const { works, url } = keyOf(world, { collection, key: 0 }) as Keyed
    if (!works) continue
    const { shares } = (await (await fetch(`${url}/shares`)).json()) as { shares: Described[] }
    const working = it.shares.filter(({ isRevoked }) => !isRevoked)
    const described = working.map(({ created: { share_url: _url, share_token: _token, ...described } }) => described)
    const byId = (all: Described[]) => new Map(all.map((each) => [each.id, each]))
    assert.deepEqual(byId(shares), byId(described))
  }
}

const isOf = (one: ModelLink, campaign: string | null) =>
  campaign === null || fieldsOf(one).campaign === (campaign === '~' ? null : campaign)

/** The codes in the first column of an export, sorted. */
const codesIn = (csv: string) =>
  csv
    .split('\r\n')
    .slice(1, -1)
    .map((row) => row.slice(0, row.indexOf(',')))
    .toSorted()
