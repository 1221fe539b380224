// The baseline for visits: a redirect by node:http alone.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const headers = { location: 'https://example.com/menu', 'cache-control': 'private, no-store', 'content-length': '0' }
const server = createServer((_request, response) => response.writeHead(302, headers).end())
server.listen(0, '127.0.0.1', () => console.log(`http://localhost:${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => process.exit(0))
