// The baseline for visits: a redirect by node:http alone, or by node:https with a key and a certificate: `bare-http.ts KEY CERTIFICATE`.
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

const headers = { location: 'https://example.com/menu', 'cache-control': 'private, no-store', 'content-length': '0' }
const redirect: RequestListener = (_request, response) => response.writeHead(302, headers).end()
const [key, certificate] = process.argv.slice(2)
const server =
  key === undefined || certificate === undefined
    ? createServer(redirect)
    : createHttpsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, redirect)
// As long as quirl keeps them.
server.keepAliveTimeout = 10_000
server.listen(0, '127.0.0.1', () => console.log(`http://localhost:${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => process.exit(0))
