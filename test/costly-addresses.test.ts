import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { calibrate, cpuTime } from './support/cpu-cost.ts'
import { startServer } from './support/server.ts'

const end = endOfFile()
const server = await startServer(end)

/** The least cost of a few requests, in units of a fixed piece of work: other load on the machine only adds. */
async function leastCost(ask: () => Promise<number>, expected: number): Promise<number> {
  let least = Infinity
  for (let time = 0; time < 5; time++) {
    const unit = calibrate()
    const began = cpuTime()
    assert.equal(await ask(), expected)
    least = Math.min(least, (cpuTime() - began) / unit)
  }
  return least
}

async function post(body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${server.url}/api/links`, { method: 'POST', body: JSON.stringify(body), headers })
}

/** As many parameters as an address holds. */
const parameters = `https://example.com/?${'+&'.repeat(1_010)}`
const utm = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`u${at}`, 'x']))

test('a visit costs little, whatever the queries and rules of the link, also where it is not cached', async () => {
  for (const query of [parameters, `https://example.com/?${'%61&'.repeat(500)}`]) {
    const rules = Array.from({ length: 20 }, (_, at) => ({ when: { percent: 1 + at }, then: { target: query } }))
    const codes: string[] = []
    for (let at = 0; at < 5; at++)
      codes.push(((await (await post({ target: query, utm, rules })).json()) as { code: string }).code)
    // The first visit of a link is never answered from the cache.
    const visit = async () => {
      const response = await fetch(`${server.url}/${codes.pop()}`, { redirect: 'manual' })
      return response.status
    }
    const cost = await leastCost(visit, 302)
    assert.ok(cost < 6, `${cost.toFixed(1)} times the fixed piece of work`)
  }
})

test('a creation with the costliest addresses costs little', async () => {
  const url = `https://example.com/${'ü'.repeat(2_000)}`
  const links = Array.from({ length: 100 }, () => ({ label: 'x', url }))
  const cost = await leastCost(async () => (await post({ kind: 'page', headline: 'x', links })).status, 201)
  assert.ok(cost < 8, `${cost.toFixed(1)} times the fixed piece of work`)
})
