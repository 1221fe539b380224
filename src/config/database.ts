import { setting } from './setting.ts'
import { integer } from './values.ts'

/** Only the scheme is checked: a URL of PostgreSQL may have no host, or several parameters that `pg` reads. */
const parseUrl = (text: string) => (/^postgres(?:ql)?:\/\/\S+$/.test(text) ? text : undefined)
const allowed = 'a URL such as postgres://user:password@host:5432/database'

/** Where links are stored. */
export const databaseSettings = {
  databaseUrl: setting({
    name: 'DATABASE_URL',
    fallback: undefined,
    isSecret: true,
    parse: parseUrl,
    allowed,
    doc: 'PostgreSQL (14 or newer) that stores the links and everything about them, so that several nodes share them ([several nodes](scale.md)); `sslmode` and several hosts as libpq means them ([connections](scale.md#connections)); unset: SQLite in `DATA_DIR`',
  }),
  databaseListenUrl: setting({
    name: 'DATABASE_LISTEN_URL',
    fallback: undefined,
    isSecret: true,
    parse: parseUrl,
    allowed,
    doc: 'the same database without a pooler such as PgBouncer in between: for the one connection on which a node listens for the changes of others; unset: `DATABASE_URL`',
  }),
  databasePool: setting({
    name: 'DATABASE_POOL',
    isChecked: true,
    fallback: '10',
    parse: (text) => integer(text, 2, 1000),
    allowed: 'a whole number from 2 to 1000',
    doc: 'how many connections to `DATABASE_URL` a node opens at most, besides the one that listens',
  }),
  adoptFrom: setting({
    name: 'ADOPT_FROM',
    fallback: undefined,
    parse: (text) => text,
    allowed: 'a folder',
    doc: 'a folder whose folders are the `DATA_DIR` of each node of `DATABASE_URL`: the scans that a dead node has left there are counted by another ([several nodes](scale.md#statistics)); unset: by `quirl journal adopt`',
  }),
}
