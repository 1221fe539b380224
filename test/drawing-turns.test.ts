import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heavyDrawing } from './support/costly-logos.ts'
import { patientThreads, post, startServer } from './support/server.ts'

/** More than the threads draw in the time that a client may wait. */
const FLOOD = 200

const from = (address: string) => ({ 'x-forwarded-for': address })

test('a network that floods the queue with heavy drawings does not block the image of another', async (t) => {
  const server = await startServer(t, { TRUST_PROXY: '127.0.0.0/8' }, undefined, { drawing: patientThreads })
  const draw = (address: string, body: object) => post(`${server.url}/api/qr`, body, from(address))
  // Start the threads before counting.
  await Promise.all(['192.0.2.1', '192.0.2.2'].map((address) => draw(address, { ...heavyDrawing(0), data: address })))
  const statuses: number[] = []
  const isFull = Promise.withResolvers<void>()
  const drawn = () => statuses.filter((status) => status === 200).length
  const flood = Array.from({ length: FLOOD }, async (_, at) => {
    // As many clients of one network.
    const { status } = await draw(`2001:db8:0:${at.toString(16)}::1`, heavyDrawing(at))
    statuses.push(status)
    if (status === 503) isFull.resolve()
  })
  await Promise.race([isFull.promise, Promise.all(flood)])
  const before = drawn()
  const { status } = await draw('198.51.100.7', { data: 'https://example.com/', design: { shape: 'dots' } })
  const meanwhile = drawn() - before
  assert.equal(status, 200)
  assert.ok(meanwhile <= 3, `${meanwhile} of the flood were drawn first`)
  await Promise.all(flood)
  // Of one network wait as many as are drawn in a few seconds; its further requests are refused at once.
  assert.ok(statuses.every((each) => each === 200 || each === 503))
  assert.ok(drawn() < FLOOD, `${drawn()} of ${FLOOD} were drawn`)
})

test('an image that a network has asked for besides many others waits for another network no longer than any', async (t) => {
  const server = await startServer(t, { TRUST_PROXY: '127.0.0.0/8' }, undefined, { drawing: patientThreads })
  const draw = (address: string, body: object) => post(`${server.url}/api/qr`, body, from(address))
  const wanted = { data: 'https://example.com/', design: { shape: 'dots' } }
  await Promise.all(['192.0.2.1', '192.0.2.2'].map((address) => draw(address, { ...heavyDrawing(0), data: address })))
  let drawn = 0
  const flood = Array.from({ length: 24 }, async (_, at) => {
    const { status } = await draw(`2001:db8:0:${at.toString(16)}::1`, heavyDrawing(at))
    if (status === 200) drawn++
  })
  // All of the flood, and the image behind it, wait.
  const same = draw('2001:db8:0:ff::1', wanted)
  await draw('198.51.100.8', { data: 'https://example.com/8', design: { shape: 'dots' } })
  const before = drawn
  const { status } = await draw('198.51.100.7', wanted)
  const meanwhile = drawn - before
  assert.equal(status, 200)
  assert.ok(meanwhile <= 3, `${meanwhile} of the flood were drawn first`)
  await Promise.all([...flood, same])
})
