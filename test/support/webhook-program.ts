// Serves as bin/quirl.js does, and also sends webhooks to loopback, which the program refuses. Its clock may be ahead.
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { openServices } from '../../src/services.ts'

const invocation = readConfig(process.argv.slice(2), {}, '/nonexistent')
if (invocation.run !== 'serve') throw new Error('unreachable')
const { config } = invocation
const log = pino({ level: 'warn' })
const now = () => Date.now() + Number(process.env['CLOCK_AHEAD_MS'])
const webhooks = { isAllowed: (address: string) => address === '127.0.0.1', pollMs: 10 }
const services = await openServices(config, { version: '0.0.0', port: () => 0, log, now, webhooks })
const app = await createApp(config, services, log)
await app.listen({ host: config.host, port: config.port })
process.stdout.write(`http://localhost:${(app.server.address() as AddressInfo).port}\n`)
