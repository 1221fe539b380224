// Exits with status 0 if the service in this container responds with 200, otherwise with 1: the image has neither curl nor a shell.
// The argument is the path: /healthz (the default), or /readyz.
import { get } from 'node:http'

const TIMEOUT_MS = 3000

const { HTTP_PORT, PORT, TLS } = process.env
const port = TLS === 'on' ? HTTP_PORT || 80 : PORT || 3000
const path = process.argv[2] ?? '/healthz'

process.exitCode = 1
const request = get({ host: '127.0.0.1', port, path, timeout: TIMEOUT_MS }, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 1
  process.stdout.write(`${response.statusCode}\n`)
  response.destroy()
})
request.on('timeout', () => request.destroy(new Error('no response')))
request.on('error', (error) => process.stdout.write(`${error.message}\n`))
