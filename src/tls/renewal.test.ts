import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleCertificate } from '../../test/support/rfc9773.ts'
import { AcmeError } from './acme-error.ts'
import type { AcmeClient } from './acme.ts'
import type { StoredCertificate } from './certificate-store.ts'
import { refreshRenewalTime } from './renewal.ts'

const NOW = Date.UTC(2026, 10, 21)
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The certificate of RFC 9773's example. */
const kept: StoredCertificate = {
  name: 'example.com',
  chain: exampleCertificate,
  key: '',
  notBefore: NOW - 30 * DAY,
  notAfter: NOW + 60 * DAY,
  renewAt: NOW + 30 * DAY,
  checkRenewalAt: NOW,
}

const authority = (
  answer: string | AcmeError,
  retryAfter?: number,
  renewalInfo: string | undefined = 'https://ca/ri',
): AcmeClient => ({
  directory: async () => ({ newNonce: '', newAccount: '', newOrder: '', ...(renewalInfo && { renewalInfo }) }),
  async get(url) {
    assert.equal(url, 'https://ca/ri/aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
    if (answer instanceof AcmeError) throw answer
    return { status: 200, location: undefined, retryAfter, text: answer }
  },
  post: () => Promise.reject(new Error('nothing is to be sent')),
})
const window = (start: number, end: number) =>
  JSON.stringify({ suggestedWindow: { start: new Date(start).toISOString(), end: new Date(end).toISOString() } })
const refresh = (client: AcmeClient, random = 0.5) => refreshRenewalTime(client, kept, NOW, () => random)

test('the renewal time is random within the window, and checked again after Retry-After', async () => {
  const client = authority(window(NOW + DAY, NOW + 3 * DAY), 2 * HOUR)
  assert.deepEqual(await refresh(client), { ...kept, renewAt: NOW + 2 * DAY, checkRenewalAt: NOW + 2 * HOUR })
  assert.equal((await refresh(client, 0)).renewAt, NOW + DAY)
  assert.equal((await refresh(client, 1)).renewAt, NOW + 3 * DAY)
})

test('a renewal time stays while it is within the window', async () => {
  assert.equal((await refresh(authority(window(NOW, NOW + 40 * DAY)))).renewAt, kept.renewAt)
})

test('a window in the past makes the renewal due now', async () => {
  assert.ok((await refresh(authority(window(NOW - 2 * DAY, NOW - DAY)))).renewAt <= NOW)
})

test('Retry-After is clamped to between a minute and a day; its default is six hours', async () => {
  const text = window(NOW, NOW + DAY)
  assert.equal((await refresh(authority(text, 0))).checkRenewalAt, NOW + 60_000)
  assert.equal((await refresh(authority(text, 90 * DAY))).checkRenewalAt, NOW + DAY)
  assert.equal((await refresh(authority(text))).checkRenewalAt, NOW + 6 * HOUR)
})

test('without a usable response the renewal time stays', async () => {
  assert.deepEqual(await refresh(authority(new AcmeError('unreachable', 'x'))), { ...kept, checkRenewalAt: NOW + HOUR })
  assert.deepEqual(await refresh(authority('not json')), { ...kept, checkRenewalAt: NOW + HOUR })
  assert.deepEqual(await refresh(authority('', 0, '')), { ...kept, checkRenewalAt: NOW + DAY })
  for (const text of [
    '{}',
    window(NOW + DAY, NOW),
    window(NOW + 61 * DAY, NOW + 62 * DAY),
    '{"suggestedWindow":{"start":5}}',
  ]) {
    assert.equal((await refresh(authority(text))).renewAt, kept.renewAt, text)
  }
})
