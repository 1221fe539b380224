import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { WebhookDetails } from '../../src/links/webhook.ts'
import type { WebhookOverrides } from '../../src/webhooks/open.ts'
import { startDns, type Zone } from './dns.ts'
import { PATIENCE_MS, poll } from './poll.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { create, startServer, type Created, type TestServer } from './server.ts'

const SECOND_MS = 1_000
export const EVENTS = ['link.changed', 'link.removed', 'scans.milestone', 'destination.failing']

export type CreatedWithWebhook = Created & { webhook: { url: string; events: string[]; secret: string } }
type Details = Record<string, unknown> & { webhook: WebhookDetails | null }

export interface WebhookSetting {
  server: TestServer
  /** It listens on all addresses of loopback. */
  receiver: Receiver
  clock: { now: number }
  /** The address of the receiver, by a name that resolves to loopback. */
  url: string
  zones: Record<string, Zone>
}

/** No request is late because the machine is slow. */
export const loopbackOnly: WebhookOverrides = {
  isAllowed: (address) => address.startsWith('127.'),
  pollMs: 10,
  timeoutMs: PATIENCE_MS,
}

/** A service that may send to loopback, with a receiver and a clock of the test's own. */
export async function startWithWebhooks(
  t: TestContext,
  env: Record<string, string> = {},
  overrides: WebhookOverrides = {},
): Promise<WebhookSetting> {
  const receiver = await startReceiver(t)
  const loopback = { a: ['127.0.0.1'] }
  const { address, zones } = await startDns(t, { 'hook.example.com': loopback, 'new.example.com': loopback })
  const clock = { now: Date.now() }
  const webhooks = { ...loopbackOnly, random: () => 0, ...overrides }
  const server = await startServer(t, { DNS_SERVERS: address, ...env }, () => clock.now, { webhooks })
  return { server, receiver, clock, url: `http://hook.example.com:${receiver.port}/hook`, zones }
}

export async function createWithWebhook(server: TestServer, url: string, events = EVENTS): Promise<CreatedWithWebhook> {
  return (await create(server, { target: 'https://example.com/', webhook: { url, events } })) as CreatedWithWebhook
}

export const manage = (server: TestServer, { token }: Created) => `${server.url}/api/manage/${token}`

export async function detailsOf(response: Promise<Response>): Promise<Details> {
  const answer = await response
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as Details
}

export async function webhookOf(server: TestServer, link: Created): Promise<WebhookDetails> {
  const { webhook } = await detailsOf(fetch(manage(server, link)))
  assert.ok(webhook !== null)
  return webhook
}

/** Waits until so many requests have arrived, and the result of each is recorded; advances the clock past pauses. */
export async function receive({ server, receiver, clock }: WebhookSetting, count: number): Promise<void> {
  await poll(
    async () => {
      const { read } = server.services.db
      const own = await read.selectFrom('outbox').select('id').execute()
      const ofCollections = await read.selectFrom('collection_outbox').select('id').execute()
      if (receiver.received.length >= count && own.length + ofCollections.length === 0) return true
      clock.now += SECOND_MS
      return false
    },
    () => JSON.stringify(receiver.received),
  )
}
