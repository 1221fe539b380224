// Claim: while 20 connections pipeline 10,000 requests each and read nothing, the memory stays under 400 MiB and /healthz
// responds within 250 ms. Baseline: the same server without load.
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '../test/support/server.ts'
import { printTable, readMetric, serveQuirl, temporaryFolder, type Served } from './support.ts'

const CONNECTIONS = 20
const REQUESTS = 10_000
const CHECKS = 150

const folder = temporaryFolder()
const rows: Record<string, string | number>[] = []

/** Milliseconds until /healthz has responded, on a new connection. */
function check({ url }: Served): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/healthz`, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(performance.now() - began))
    })
    sent.once('error', reject).end()
  })
}

async function measure(what: string, pathOf?: (link: { code: string; token: string }) => string): Promise<void> {
  const quirl = await serveQuirl(join(folder, String(rows.length)))
  const link = await create(quirl, { target: 'https://example.com/menu' })
  for (let run = 0; run < 50; run++) await check(quirl)
  const sockets = Array.from({ length: pathOf === undefined ? 0 : CONNECTIONS }, () => {
    const socket = connect(Number(new URL(quirl.url).port), '127.0.0.1').pause()
    socket.on('error', () => {})
    socket.write(`GET ${pathOf?.(link)} HTTP/1.1\r\nHost: quirl.example\r\n\r\n`.repeat(REQUESTS))
    return socket
  })
  const took: number[] = []
  let memory = 0
  for (let run = 0; run < CHECKS; run++) {
    took.push(await check(quirl))
    if (run % 10 === 0) memory = Math.max(memory, await readMetric(quirl, 'process_resident_memory_bytes'))
    await sleep(10)
  }
  for (const socket of sockets) socket.destroy()
  await quirl.stop()
  const p99 = took.toSorted((a, b) => a - b)[Math.floor(CHECKS * 0.99)] ?? Number.NaN
  const quiet = Number(rows[0]?.['p99 ms'] ?? p99)
  rows.push({
    'beside /healthz': what,
    'p99 ms': p99.toFixed(1),
    ratio: (p99 / quiet).toFixed(1),
    'longest ms': Math.max(...took).toFixed(0),
    'MiB resident': Math.round(memory / 2 ** 20),
  })
}

await measure('no load')
await measure('visits', ({ code }) => `/${code}`)
await measure('pages', () => '/')
await measure('OpenAPI', () => '/api/openapi.json')
await measure('images', ({ code }) => `/${code}/qr.png?size=2000`)
await measure('statistics', ({ token }) => `/api/manage/${token}/stats`)
printTable(`${CONNECTIONS} connections with ${REQUESTS} pipelined requests each, reading nothing`, rows)
