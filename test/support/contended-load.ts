import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { poll } from './poll.ts'
import type { PostgresServer } from './postgres.ts'
import { post, put, type Created } from './server.ts'

/** What clients saw of one alias, which one client of each node wants to have. */
interface Contended {
  /** The targets of creations that were acknowledged. */
  created: string[]
  /** Those of creations of which no client knows whether they were made. */
  unknown: string[]
  /** The last change of it that was acknowledged, and the one that may have been made since. */
  changed?: string
  maybeChanged?: string
}

/** Clients that create and change links on all nodes while the test disturbs them. */
export interface ContendedLoad {
  /** Waits for so many more creations that are acknowledged, each with a change. */
  acknowledge: (more: number) => Promise<void>
  /** Ends it, and compares what clients saw with what the store holds: nothing acknowledged is lost, and no alias given twice. */
  end: (store: Pick<PostgresServer, 'execute'>, database: string) => Promise<void>
}

const REFUSED_PAUSE_MS = 20

/** A request whose connection breaks may have been made, as one may that is answered with 503. */
const statusOf = (request: Promise<Response>) => request.catch(() => new Response(null, { status: 503 }))

/** @param name begins the aliases, so that several loads may follow each other */
export function startContendedLoad(nodes: { url: string }[], name: string): ContendedLoad {
  const aliases = new Map<string, Contended>()
  let acknowledged = 0
  const over = new AbortController()
  let failure: unknown

  async function createOn(url: string, alias: string, target: string): Promise<void> {
    const seen = aliases.get(alias) ?? { created: [], unknown: [] }
    aliases.set(alias, seen)
    const response = await statusOf(post(`${url}/api/links`, { target, alias }))
    assert.ok([201, 409, 503].includes(response.status), `${response.status}: ${alias}`)
    if (response.status === 503) {
      seen.unknown.push(target)
      return sleep(REFUSED_PAUSE_MS)
    }
    if (response.status === 409) return undefined
    seen.created.push(target)
    const { token } = (await response.json()) as Created
    const next = `${target}/changed`
    const { status } = await statusOf(put(`${url}/api/manage/${token}`, { target: next }))
    assert.ok([200, 503].includes(status), `${status}: change of ${alias}`)
    if (status === 200) seen.changed = next
    else seen.maybeChanged = next
    acknowledged++
  }

  async function work(url: string, client: number): Promise<void> {
    for (let round = 0; !over.signal.aborted; round++)
      await createOn(url, `${name}-${round}`, `https://example.com/${client}/${round}`)
  }

  const load = Promise.all(nodes.map(({ url }, client) => work(url, client)))
  load.catch((error: unknown) => {
    failure = error
    // The other clients would keep the process of a failed test running.
    over.abort()
  })
  return {
    async acknowledge(more) {
      const goal = acknowledged + more
      await poll(() => failure !== undefined || acknowledged >= goal)
      if (failure !== undefined) throw failure
    },
    async end(store, database) {
      over.abort()
      await load
      const { rows } = await store.execute(
        `select code, target, revision from links where code like '${name}-%'`,
        database,
      )
      const stored = new Map((rows as StoredLink[]).map((row) => [row.code, row]))
      for (const [alias, seen] of aliases) compare(alias, seen, stored.get(alias))
      assert.equal(stored.size, rows.length)
    },
  }
}

interface StoredLink {
  code: string
  target: string
  revision: number
}

function compare(alias: string, seen: Contended, stored: StoredLink | undefined): void {
  const where = `${alias}: ${JSON.stringify({ ...seen, stored })}`
  assert.ok(seen.created.length <= 1, where)
  const [created] = seen.created
  const targets = created === undefined ? seen.unknown : [seen.changed ?? created, seen.maybeChanged]
  if (created !== undefined) assert.ok(stored, where)
  if (stored === undefined) return
  assert.ok(targets.includes(stored.target), where)
  // Not half done: a change has its revision.
  assert.equal(stored.revision, stored.target.endsWith('/changed') ? 2 : 1, where)
}
