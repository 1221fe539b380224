import { setting } from './setting.ts'

const DEFAULT_PORT = 6379

/** A user and a password, a host and a port, and the number of a database. */
const shape = /^rediss?:\/\/(?:[^@/?#\s]*@)?[^@/?#\s]+(?:\/\d{0,4})?$/

/** Parameters are refused: the client would take some for options of its own. */
function parseRedis(text: string) {
  const url = shape.test(text) ? URL.parse(text) : null
  const [username, password] = [decode(url?.username), decode(url?.password)]
  if (url === null || username === undefined || password === undefined) return undefined
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || DEFAULT_PORT),
    username: username || undefined,
    password: password || undefined,
    db: Number(url.pathname.slice(1)),
    tls: url.protocol === 'rediss:',
  }
}

function decode(text = ''): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Where the requests of clients are counted. */
export const redisSettings = {
  redisUrl: setting({
    name: 'REDIS_URL',
    fallback: undefined,
    isSecret: true,
    parse: parseRedis,
    allowed: 'a URL such as redis://user:password@host:6379/0, or rediss:// for TLS, without parameters',
    doc: 'Redis or Valkey in which nodes count the requests of each client together, so that the limits hold for all of them ([several nodes](scale.md)); unset: each node counts by itself',
  }),
}
