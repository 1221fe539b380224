import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { link } from '../../test/support/visited.ts'
import { kinds } from '../links/kinds/index.ts'
import type { PasswordHash, RightPassword } from '../links/password/password.ts'
import type { Visited } from '../links/visited.ts'
import { createFastPath } from './fast-path.ts'
import type { Visits } from './open.ts'
import { createResolver, type Resolution } from './resolve.ts'

const proofOf = (hash: string) => ({ hash }) as unknown as RightPassword

const visited = fc.record({
  ...Object.fromEntries(Object.entries(link(1)).map(([name, value]) => [name, fc.constant(value)])),
  kind: fc.constantFrom(...kinds.map(({ name }) => name)),
  active: fc.boolean(),
  suspendedBy: fc.constantFrom(null, 'list', 'operator', 'legal'),
  password: fc.constantFrom('hash 1', 'hash 2'),
  isWarned: fc.boolean(),
  rules: fc.constantFrom(null, '[{"when":{},"then":{"target":"https://example.org/"}}]'),
}) as fc.Arbitrary<Visited>

test('no link with a password is live, and only the proof of its own password opens it', () => {
  fc.assert(
    fc.property(visited, (found) => {
      const { resolve } = createResolver(
        () => found,
        () => 0,
      )
      for (let visits = 0; visits < 3; visits++) {
        const resolution = resolve('code') as Resolution
        assert.notEqual(resolution.state, 'live')
        assert.equal(resolution.state === 'protected', found.active && found.suspendedBy === null)
        if (resolution.state !== 'protected') continue
        assert.doesNotMatch(JSON.stringify(resolution), /example\.com/)
        assert.equal(resolution.locked.open(proofOf('hash 3')), undefined)
        assert.equal(resolution.locked.open(proofOf(found.password ?? ''))?.id, found.id)
      }
    }),
  )
})

test('the fast path responds to no visit of a link with a password, whether or not it is in the cache', () => {
  const untouchable = new Proxy({} as ServerResponse, { get: () => assert.fail('it has responded') })
  const record = () => assert.fail('it has recorded a scan')
  const decide = new Proxy({} as Visits['decide'], { get: () => assert.fail('it has applied rules') })
  fc.assert(
    fc.property(
      visited,
      fc.constantFrom('GET', 'HEAD'),
      fc.constantFrom('', '.Q', '?qr=1'),
      (found, method, ending) => {
        const { resolve } = createResolver(
          () => found,
          () => 0,
        )
        const answered = createFastPath(
          { resolve, decide, visitorOf: () => assert.fail('it has asked who visits') },
          { record, recordScan: record },
          () => false,
          () => {},
        )
        const request = { method, url: `/code${ending}`, headers: {} } as IncomingMessage
        for (let visits = 0; visits < 3; visits++) assert.equal(answered(request, untouchable), false)
      },
    ),
  )
})

test('the visit after a password was set or removed sees it', () => {
  let password: PasswordHash | null = null
  const { resolve, invalidate } = createResolver(
    () => ({ ...link(1), password }),
    () => 0,
  )
  for (const next of [null, 'hash 1', 'hash 2', null, 'hash 1'] as (PasswordHash | null)[]) {
    password = next
    invalidate('Code')
    for (let visits = 0; visits < 3; visits++) {
      const resolution = resolve('code') as Resolution
      assert.equal(resolution.state, next === null ? 'live' : 'protected')
      if (resolution.state === 'protected') assert.equal(resolution.locked.password, next)
    }
  }
})
