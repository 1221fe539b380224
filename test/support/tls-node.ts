// One of several nodes on one database: the TLS part of the program.
import { createServer } from 'node:http'
import { createLocalBus } from '../../src/bus/local.ts'
import { openDomains } from '../../src/domains/open.ts'
import { createClientAddress } from '../../src/http/client-address.ts'
import { connectPostgres } from '../../src/nodes/database/database.ts'
import { openTls, type TlsConfig } from '../../src/tls/open.ts'

const { database, httpPort, dns, ...config } = JSON.parse(process.argv[2] ?? '') as TlsConfig & {
  database: string
  httpPort: number
  dns: string
}
const log = {
  error: (...args: unknown[]) => console.error(...args),
  warn: (...args: unknown[]) => console.error(...args),
}
const clocks = { now: Date.now, removalTime: async () => Date.now(), monotonic: () => performance.now() }
const db = connectPostgres({ url: database, max: 8 })
const domains = await openDomains({
  db,
  bus: createLocalBus(),
  baseUrl: config.baseUrl,
  servers: [dns],
  ...clocks,
  log,
})
const client = createClientAddress([], () => {})
const tls = openTls(config, { db, bus: createLocalBus(), domains, client, ...clocks, log })
const server = createServer((request, response) => {
  if (!tls.applyPolicy(request, response)) response.end(`served by ${process.pid}`)
})
server.listen(httpPort, '127.0.0.1')
console.log(`port ${await tls.listen(server)}`)
