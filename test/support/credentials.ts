// What test/authorisation.test.ts sends to each route: one credential of every kind that a person may have or have had.
import assert from 'node:assert/strict'
import { manage, post, type Created, type TestServer } from './server.ts'

/** What a token opens. */
export type Owned = 'link' | 'share' | 'collection' | 'domain'

/** A token, or none, and what a person would say of it. */
export interface Credential {
  name: string
  token: string | undefined
  opens: Owned
  /** Whether it works wherever its kind is asked for. */
  works: boolean
  /** Whether it opens the link of `Subjects`: it or its share is meant, or it is in the collection. */
  hasLink: boolean
}

/** What the credentials are about. */
export interface Owner {
  /** Nothing refused may change it. */
  link: Created
  /** A share of that link. */
  shareId: string
  /** The token of a collection with the link. */
  having: string
  /** A domain, whose token is among the credentials. */
  domain: string
  credentials: Credential[]
}

const UNKNOWN = 'x'.repeat(43)
const target = 'https://example.com/menu'

async function made<Body>(response: Promise<Response>): Promise<Body> {
  const { status } = await response
  assert.ok(status < 300, String(status))
  return (await (await response).json()) as Body
}

/** Makes a link, and credentials that open it, opened it, or open something else. */
export async function createCredentials(server: TestServer, alias: string): Promise<Owner> {
  const { url } = server
  const create = (body = {}) => made<Created>(post(`${url}/api/links`, { target, ...body }))
  const [link, other, deleted, rotated] = [await create({ alias }), await create(), await create(), await create()]
  const collect = async (...links: Created[]) => {
    const { token } = await made<Created>(post(`${url}/api/collections`, {}))
    await made(post(`${url}/api/collections/${token}/links`, { tokens: links.map((each) => each.token) }))
    return token
  }
  const [having, without, ended, changed] = [
    await collect(link, deleted),
    await collect(other),
    await collect(link),
    await collect(link),
  ]
  const share = () => made<{ id: string; share_token: string }>(post(manage({ url }, link, '/share'), { csv: true }))
  const [shared, revoked] = [await share(), await share()]
  const domain = await made<Created>(post(`${url}/api/domains`, { domain: `${alias}.example.com` }))
  await made(fetch(manage({ url }, link, `/shares/${revoked.id}`), { method: 'DELETE' }))
  await made(fetch(manage({ url }, deleted), { method: 'DELETE' }))
  await made(fetch(`${url}/api/collections/${ended}`, { method: 'DELETE' }))
  // A token that was replaced ends with the first use of the new one.
  for (const base of [manage({ url }, rotated), `${url}/api/collections/${changed}`]) {
    const next = await made<Created>(fetch(`${base}/rotate`, { method: 'POST' }))
    await made(fetch(base.replace(/[^/]+$/, next.token)))
  }
  const sent = (name: string, opens: Owned, token: string | undefined, is: Partial<Credential> = {}): Credential => ({
    name,
    opens,
    token,
    works: false,
    hasLink: false,
    ...is,
  })
  const works = { works: true }
  return {
    link,
    shareId: shared.id,
    having,
    domain: `${alias}.example.com`,
    credentials: [
      sent('no token', 'link', undefined),
      sent('what is no token', 'link', 'nothing'),
      sent("a link's token that nobody has", 'link', UNKNOWN),
      sent("a share's token that nobody has", 'share', `share_${UNKNOWN}`),
      sent("a collection's token that nobody has", 'collection', `collection_${UNKNOWN}`),
      sent("the link's token", 'link', link.token, { works: true, hasLink: true }),
      sent("another link's token", 'link', other.token, works),
      sent("the link's share", 'share', shared.share_token, { works: true, hasLink: true }),
      sent('the token of a collection with the link', 'collection', having, { works: true, hasLink: true }),
      sent('the token of a collection without the link', 'collection', without, works),
      sent('the token of a domain', 'domain', domain.token, works),
      sent('a token of a link that was replaced', 'link', rotated.token),
      sent('a token of a collection with the link that was replaced', 'collection', changed),
      sent('the token of a deleted link', 'link', deleted.token),
      sent('the token of a collection with the link that was ended', 'collection', ended),
      sent('a share that was revoked', 'share', revoked.share_token),
      sent("the link's token as if it were a collection's", 'collection', `collection_${link.token}`),
      sent("the link's token as if it were a share's", 'share', `share_${link.token}`),
      sent("a collection's token as if it were a link's", 'link', having.slice('collection_'.length)),
      sent("a share's token as if it were a link's", 'link', shared.share_token.slice('share_'.length)),
    ],
  }
}
