import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { PostgresServer } from '../test/support/postgres.ts'
import { startBenchPostgres } from './bench-postgres.ts'
import { familyTime } from './processors.ts'
import { serveQuirl, temporaryFolder, type Served } from './support.ts'

/** A node on a store. */
export interface Store {
  name: string
  node: Served
  /** CPU time of PostgreSQL so far, microseconds. */
  serverTime: () => number
  /** Codes of links, the oldest first. */
  codes: (limit: number) => Promise<string[]>
  /** Bytes of the tables of links, and of scans. */
  bytes: () => Promise<Bytes>
}

export interface Bytes {
  links: number
  scans: number
}

export async function openSqlite(): Promise<Store> {
  const dataDir = temporaryFolder()
  const node = await serveQuirl(dataDir)
  const query = <Row>(name: string, sql: string) => {
    const db = new DatabaseSync(join(dataDir, `${name}.db`), { readOnly: true })
    const rows = db.prepare(sql).all() as Row[]
    db.close()
    return rows
  }
  const size = (name: string) => {
    const [row] = query<{ bytes: number }>(
      name,
      'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
    )
    return row?.bytes ?? 0
  }
  return {
    name: 'embedded store',
    node,
    serverTime: () => 0,
    codes: async (limit) =>
      query<{ code: string }>('links', `select code from links order by id limit ${limit}`).map(({ code }) => code),
    bytes: async () => ({ links: size('links'), scans: size('scans') }),
  }
}

/** A node on PostgreSQL, which runs on this machine with fsync. */
export interface PostgresStore extends Store {
  server: PostgresServer
  close: () => Promise<void>
}

export async function openPostgres(): Promise<PostgresStore> {
  const { server, address, flag, pid, close } = await startBenchPostgres()
  const client = new pg.Client(address)
  await client.connect()
  const node = await serveQuirl(temporaryFolder(), flag)
  const size = async (schema: string) => {
    const { rows } = await client.query<{ bytes: string }>(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0) as bytes from pg_class c
       join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r'`,
      [schema],
    )
    return Number(rows[0]?.bytes)
  }
  return {
    name: 'PostgreSQL',
    node,
    server,
    serverTime: () => familyTime(pid),
    async codes(limit) {
      const { rows } = await client.query<{ code: string }>(`select code from links order by id limit ${limit}`)
      return rows.map(({ code }) => code)
    },
    bytes: async () => ({ links: await size('public'), scans: await size('quirl_scans') }),
    async close() {
      await node.stop()
      await client.end()
      await close()
    },
  }
}
