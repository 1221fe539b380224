import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { create, post, startServer, type Created } from './server.ts'

export interface Collection {
  name: string | null
  created_at: string
  links: number
  campaigns: { value: string | null; links: number; scans: number }[]
  looks: object
  totals: { scans: number; humans: number; last_scan_at: string | null }
}
export interface Joined {
  added: number
  failed: number
  results: ({ index: number; code: string; added: boolean } | { index: number; error: { code: string } })[]
}

/** A row of the response to changes of many links. */
export interface ChangedRow {
  index: number
  code?: string
  etag?: string
  changed?: boolean
  valid?: true
  fields?: string[]
  error?: { code: string; detail: string; errors: { pointer: string; detail: string }[] }
}

/** The response to changes of many links, or to a request that is refused as a whole. */
export interface Changed {
  changed: number
  unchanged: number
  failed: number
  results: ChangedRow[]
  code?: string
  detail?: string
  errors?: { pointer: string; detail: string }[]
  warnings?: { code: string }[]
  ignored?: string[]
}

export interface CreatedCollection extends Pick<Collection, 'name' | 'created_at'> {
  token: string
  manage_url: string
}

export const START = Date.UTC(2026, 10, 27, 9, 30)

/** Starts a server with links, and what tests ask of collections. Its clock starts at `START`. */
export async function startWithLinks(t: TestContext, count: number, env: Record<string, string> = {}) {
  let at = START
  const server = await startServer(t, env, () => at)
  const links: Created[] = []
  while (links.length < count) links.push(await create(server, { target: 'https://example.com/menu' }))
  const collect = async (body: object = {}): Promise<CreatedCollection> => {
    const response = await post(`${server.url}/api/collections`, body)
    assert.equal(response.status, 201)
    return (await response.json()) as CreatedCollection
  }
  const api = (token: string, path = '') => `${server.url}/api/collections/${token}${path}`
  return {
    ...server,
    links,
    collect,
    api,
    pass: (ms: number) => void (at += ms),
    join: async (token: string, tokens: string[]): Promise<Joined> => {
      const response = await post(api(token, '/links'), { tokens })
      assert.equal(response.status, 200, await response.clone().text())
      return (await response.json()) as Joined
    },
    read: async (token: string) => (await (await fetch(api(token))).json()) as Collection,
  }
}
