// Claim: the server renders each page in less than 2 ms. The median of responses to one client, one after the other, beside
// those of a bare node:http server that sends as many bytes, and pages a second with 16 clients.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { create } from '../test/support/server.ts'
import { median, printTable, serveQuirl, temporaryFolder, wrk } from './support.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 200)
const SECONDS = Number(process.env['SECONDS'] ?? 2)

const bodies = new Map<string, Buffer>()
const bare = createServer(({ url = '' }, response) => response.end(bodies.get(url)))
bare.listen(0, '127.0.0.1')
await once(bare, 'listening')
const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`

const quirl = await serveQuirl(temporaryFolder())
const link = await create(quirl, { target: 'https://example.com/menu', title: 'Menu' })
const leaflet = await create(quirl, {
  kind: 'page',
  headline: 'Müller’s Bakery',
  description: 'Open daily from 7 to 18.',
  links: Array.from({ length: 10 }, (_, at) => ({ label: `Button ${at}`, url: `https://example.com/${at}` })),
})
const card = await create(quirl, { kind: 'vcard', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' })
const paths: Record<string, string> = {
  'start page': '/',
  'owner’s page': `/m/${link.token}`,
  bulk: '/bulk',
  domains: '/domains',
  API: '/docs',
  privacy: '/privacy',
  report: '/report',
  'page of links': `/${leaflet.code}`,
  contact: `/${card.code}`,
  preview: `/${link.code}+`,
  'not found': '/nothing-here',
}

async function responseTimes(url: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    await (await fetch(url, { headers: { accept: 'text/html' } })).text()
    times.push(performance.now() - start)
  }
  return median(times)
}

const rows = []
for (const [name, path] of Object.entries(paths)) {
  const address = quirl.url + path
  const body = Buffer.from(await (await fetch(address, { headers: { accept: 'text/html' } })).arrayBuffer())
  bodies.set(path, body)
  await responseTimes(address)
  const [ours, theirs] = [await responseTimes(address), await responseTimes(bareUrl + path)]
  rows.push({
    page: name,
    KiB: (body.length / 1024).toFixed(1),
    'median ms': ours.toFixed(2),
    'bare node:http': theirs.toFixed(2),
    'more ms': (ours - theirs).toFixed(2),
    'pages/s': name === 'not found' ? '' : Math.round(wrk(address, SECONDS, undefined, 16).requestsPerSecond),
  })
}
await quirl.stop()
bare.close()
printTable(`Pages, ${ROUNDS} responses each; pages a second with 16 connections for ${SECONDS} s`, rows)
