import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicName } from './public-name.ts'

test('a public name is one that the public DNS can have', () => {
  for (const host of ['go.bakery.shop', 'go.bakery.shop.', 'xn--bcher-kva.de', 'example.de', 'my-example.com'])
    assert.ok(isPublicName(host), host)
  for (const host of [
    'localhost',
    'qr',
    'qr.local',
    'qr.home.arpa',
    '8.8.8.8',
    '[2001:4860::1]',
    'example.com',
    'go.example.org',
    'go.bakery.example',
  ])
    assert.ok(!isPublicName(host), host)
})
