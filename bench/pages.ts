// Claim: the server renders each page in less than 2 ms. Medians of responses to one client, one after the other:
// - rendering: the page from data in memory, uncompressed, less a bare node:http server that sends as many bytes
// - data: what reading the data adds
// - compression: what brotli adds; a page with the same bytes as before comes from a cache
// - response: all of it
// and pages a second with 16 clients.
import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { create, visit } from '../test/support/server.ts'
import {
  median,
  printTable,
  serve,
  serveQuirl,
  startFlags,
  temporaryFolder,
  unlimited,
  wrk,
  type Served,
} from './support.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 200)
const SECONDS = Number(process.env['SECONDS'] ?? 2)
const VISITS = 300

const bodies = new Map<string, Buffer>()
const bare = createServer(({ url = '' }, response) => response.end(bodies.get(url)))
bare.listen(0, '127.0.0.1')
await once(bare, 'listening')
const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`

const quirl = await serveQuirl(temporaryFolder())
const script = fileURLToPath(new URL('page-server.ts', import.meta.url))
const inMemory = await serve(script, [temporaryFolder(), ...unlimited], startFlags)
const [paths, pathsInMemory] = [await fill(quirl), await fill(inMemory)]

/** Creates what the pages show, and returns their paths by name. */
async function fill(served: Served): Promise<Record<string, string>> {
  const link = await create(served, { target: 'https://example.com/menu', title: 'Menu' })
  const leaflet = await create(served, {
    kind: 'page',
    headline: 'Müller’s Bakery',
    description: 'Open daily from 7 to 18.',
    links: Array.from({ length: 10 }, (_, at) => ({ label: `Button ${at}`, url: `https://example.com/${at}` })),
  })
  const card = await create(served, { kind: 'vcard', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' })
  const systems = [
    'iPhone; CPU iPhone OS 18_0 like Mac OS X',
    'Linux; Android 16; Pixel 9',
    'Windows NT 10.0; Win64; x64',
  ]
  for (let at = 0; at < VISITS; at++) {
    const agent = `Mozilla/5.0 (${systems[at % systems.length]}) AppleWebKit/537.36 Chrome/${130 + (at % 9)}.0 Safari/537.36`
    await visit(`${served.url}/${link.code}`, { 'user-agent': agent, referer: `https://example.com/${at}` })
  }
  return {
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
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

async function load(url: string, encoding: string): Promise<Buffer> {
  const request = get(url, { agent, headers: { accept: 'text/html', 'accept-encoding': encoding } })
  const [response] = await once(request, 'response')
  return buffer(response)
}

/** The median of response times, in milliseconds, of a server that has served the page often already. */
async function responseTime(url: string, encoding: 'identity' | 'br'): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const start = performance.now()
    await load(url, encoding)
    if (round >= ROUNDS) times.push(performance.now() - start)
  }
  return median(times)
}

const rows = []
for (const [name, path] of Object.entries(paths)) {
  const address = quirl.url + path
  const body = await load(address, 'identity')
  bodies.set(path, body)
  const theirs = await responseTime(bareUrl + path, 'identity')
  const rendered = await responseTime(inMemory.url + (pathsInMemory[name] ?? ''), 'identity')
  const plain = await responseTime(address, 'identity')
  const response = await responseTime(address, 'br')
  rows.push({
    page: name,
    KiB: (body.length / 1024).toFixed(1),
    'sent KiB': ((await load(address, 'br')).length / 1024).toFixed(1),
    'rendering ms': (rendered - theirs).toFixed(2),
    'data ms': Math.max(0, plain - rendered).toFixed(2),
    'compression ms': Math.max(0, response - plain).toFixed(2),
    'response ms': response.toFixed(2),
    'bare node:http ms': theirs.toFixed(2),
    ratio: (response / theirs).toFixed(1),
    'pages/s': name === 'not found' ? '' : Math.round(wrk(address, SECONDS, undefined, 16).requestsPerSecond),
  })
}
agent.destroy()
await Promise.all([quirl.stop(), inMemory.stop()])
bare.close()
printTable(`Pages, ${ROUNDS} responses each; pages a second with 16 connections for ${SECONDS} s`, rows)
