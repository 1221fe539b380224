// Serves quirl on the data folder of its first argument. Data that a page was once shown with is remembered, not read again: what is
// left of a response is the work to render it.
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { readConfig } from '../src/config/config.ts'
import { openServices } from '../src/services.ts'

const args = ['--port=0', '--host=127.0.0.1', `--data-dir=${process.argv[2]}`, ...process.argv.slice(3)]
const invocation = readConfig(args, {}, '/nonexistent')
if (invocation.run !== 'serve') throw new Error('unreachable')
let port = 0
const log = pino({ level: 'warn' })
const services = await openServices(invocation.config, { version: '0.0.0', port: () => port, log })
const { links, scans, shares } = services

/** A function that returns for the same arguments what it has returned before. */
function remember<Args extends unknown[], Result>(read: (...args: Args) => Promise<Result>) {
  const results = new Map<string, Promise<Result>>()
  return (...given: Args): Promise<Result> => {
    const key = JSON.stringify(given)
    const known = results.get(key)
    if (known !== undefined) return known
    const result = read(...given)
    results.set(key, result)
    return result
  }
}

const remembered = {
  ...services,
  links: { ...links, readByToken: remember(links.readByToken), history: remember(links.history) },
  shares: { ...shares, list: remember(shares.list) },
  scans: {
    ...scans,
    settle: () => Promise.resolve(true),
    latestTotals: remember(scans.latestTotals),
    stats: remember(scans.stats),
  },
}
const app = await createApp(invocation.config, remembered, log)
await app.listen({ host: '127.0.0.1', port: 0 })
port = (app.server.address() as AddressInfo).port
console.log(`http://localhost:${port}`)
process.once('SIGTERM', () => {
  void app.close().then(services.close)
})
