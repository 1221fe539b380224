import assert from 'node:assert/strict'
import { fc } from '../fast-check.ts'
import { post, withoutWarnings } from '../server.ts'
import { addressOf, byToken, command, fieldsOf, linkAt, workingUrl, type CommandKind } from './model.ts'
import type { ModelLink, Named, World } from './model.ts'

/** A share of a link. */
export interface ModelShare {
  /** The response to its creation. */
  created: Described & { share_url: string; share_token: string }
  isRevoked: boolean
}

interface Described {
  id: string
  name: string | null
  csv: boolean
  destination: boolean
  created_at: string
}

/** Shares of a link. */
const MAX_SHARES = 20

const options = { name: fc.constantFrom(null, 'agency'), csv: fc.boolean(), destination: fc.boolean() }
const at = fc.nat(5)

/** Shares that owners create and revoke, and their statistics. */
export const shares: CommandKind[] = [
  command('share', 3, { ...byToken, ...options }, async (world, { name, csv, destination, ...by }) => {
    await createShare(world, addressOf(world, by), { name, csv, destination })
  }),
  command('revoke', 1, { ...byToken, at }, async (world, { at, ...by }) => {
    const { one, works, refusal, url } = addressOf(world, by)
    const share = one.shares[at % one.shares.length]
    const { status } = await fetch(`${url}/shares/${share?.created.id ?? 'none'}`, { method: 'DELETE' })
    const isRevoked = works && share?.isRevoked === false
    assert.equal(status, isRevoked ? 200 : works ? 404 : refusal)
    if (isRevoked) share.isRevoked = true
  }),
  command('read share', 3, { link: fc.nat(3), at }, async (world, { link, at }) => {
    const one = linkAt(world, link)
    const share = one.shares[at % one.shares.length]
    if (share !== undefined) await readShare(world, one, share)
  }),
]

/** Shares a link, and compares the answer. */
export async function createShare(
  world: World,
  { one, works, refusal, url }: Named,
  { name, csv, destination }: Pick<Described, 'name' | 'csv' | 'destination'>,
): Promise<void> {
  const response = await post(`${url}/share`, { ...(name !== null && { name }), csv, destination })
  const isFull = one.shares.filter(({ isRevoked }) => !isRevoked).length === MAX_SHARES
  assert.equal(response.status, !works ? refusal : isFull ? 409 : 201)
  if (!works || isFull) return
  const created = withoutWarnings((await response.json()) as ModelShare['created'])
  const { share_url, share_token, id, ...described } = created
  assert.deepEqual(described, { name, csv, destination, created_at: new Date(world.now).toISOString() })
  assert.equal(share_url, `${world.server.url}/s/${share_token}`)
  assert.equal(
    one.shares.some(({ created: other }) => other.id === id || other.share_token === share_token),
    false,
  )
  one.shares.push({ created, isRevoked: false })
}

/** Where a link leads, each once. */
export function leadsOf(one: ModelLink): string[] {
  const { target, rules } = fieldsOf(one)
  return [...new Set([target, ...rules.flatMap(({ then }) => then.target ?? [])])]
}

async function readShare({ server: { url } }: World, one: ModelLink, share: ModelShare): Promise<void> {
  const { share_token: token, csv, destination } = share.created
  const get = (path: string) => fetch(`${url}/${path}`)
  const stats = await get(`api/share/${token}/stats?days=365`)
  const file = await get(`api/share/${token}/scans.csv`)
  const page = await get(`s/${token}`)
  const manage = await get(`api/manage/${token}`)
  const works = !share.isRevoked && !one.isDeleted
  const statuses = [stats, file, page, manage].map(({ status }) => status)
  assert.deepEqual(statuses, works ? [200, csv ? 200 : 403, 200, 404] : [404, 404, 404, 404])
  if (!works) return
  const leads = leadsOf(one)
  const { destinations } = (await stats.json()) as { destinations?: string[] }
  const isShown = destination && one.password === null
  assert.deepEqual(new Set(destinations), new Set(isShown ? leads : []))
  assert.equal(destinations !== undefined, isShown)
  const text = await page.text()
  for (const each of leads) assert.equal(text.includes(`<code>${each}</code>`), isShown)
  const exported = await file.text()
  if (csv) assert.equal(exported.trimEnd().split('\r\n').length - 1, one.scans.length)
}

/** Compares the list of shares, and reads each by its token. */
export async function checkShares(world: World, one: ModelLink): Promise<void> {
  for (const share of one.shares) await readShare(world, one, share)
  if (one.isDeleted) return
  const response = await fetch(`${workingUrl(world, one)}/shares`)
  const working = one.shares.filter(({ isRevoked }) => !isRevoked)
  const described = working.map(({ created: { share_url: _url, share_token: _token, ...described } }) => described)
  const byId = (all: Described[]) => new Map(all.map((each) => [each.id, each]))
  assert.deepEqual(byId(((await response.json()) as { shares: Described[] }).shares), byId(described))
}
