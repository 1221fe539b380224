import assert from 'node:assert/strict'
import { test } from 'node:test'
import { post, startServer } from './support/server.ts'

const from = (address: string) => ({ 'x-forwarded-for': address })

/** A logo that is allowed, and much work to draw: many coats of a gradient. No two are the same. */
function heavy(number: number) {
  const stops = '<stop offset=".5" stop-color="#024"/>'.repeat(99)
  const box = '<rect width="8" height="8" fill="url(#a)"/>'.repeat(15)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 ${8 + number / 100}"><radialGradient id="a">${stops}</radialGradient>${box}</svg>`
  const image = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  return { data: `https://example.com/${number}`, size: 900, design: { logo: { image } } }
}

test('a client who floods with heavy drawings does not keep another one from his image', async (t) => {
  const server = await startServer(t, { TRUST_PROXY: '127.0.0.0/8' })
  const ask = (address: string, body: object) => post(`${server.url}/api/qr`, body, from(address))
  // The threads have started before anything is counted.
  await Promise.all(['192.0.2.1', '192.0.2.2'].map((address) => ask(address, { ...heavy(0), data: address })))
  const statuses: number[] = []
  const isFull = Promise.withResolvers<void>()
  const drawn = () => statuses.filter((status) => status === 200).length
  const flood = Array.from({ length: 20 }, async (_, at) => {
    // Addresses of one household are one client.
    const { status } = await ask(`2001:db8::${at + 1}`, heavy(at))
    statuses.push(status)
    if (status === 503) isFull.resolve()
  })
  await Promise.race([isFull.promise, Promise.all(flood)])
  const before = drawn()
  const { status } = await ask('198.51.100.7', { data: 'https://example.com/', design: { shape: 'dots' } })
  const meanwhile = drawn() - before
  assert.equal(status, 200)
  assert.ok(meanwhile <= 3, `${meanwhile} of the flood were drawn first`)
  await Promise.all(flood)
  // Half of the places that wait are for one client, and the rest is refused at once.
  assert.ok(statuses.every((each) => each === 200 || each === 503))
  assert.ok(drawn() < 20, `${drawn()} of 20 were drawn`)
})
