import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { scan } from '../../test/support/fold-folders.ts'
import { link } from '../../test/support/visited.ts'
import type { Rule } from '../links/rules/rule.ts'
import { createDecide, hasRules, type RuledLink } from './decide.ts'
import { createResolver } from './resolve.ts'

/** Decisions about a link with rules, and the number of scans that were described for them. */
function openWith(rules: Rule[], people?: number, visitors?: number) {
  const { resolve } = createResolver(
    () => ({ ...link(1), rules: JSON.stringify(rules) }),
    () => 0,
  )
  const resolution = resolve('code')
  assert.ok('live' in resolution && hasRules(resolution.live))
  let described = 0
  const decide = createDecide({
    describe(_request, { id: linkId }) {
      described++
      return scan({ linkId })
    },
    identify: () => 1,
    people: { of: () => people, isCurrent: () => people !== undefined, request() {} },
    visitors: {
      has: (_linkId, number) => (visitors === undefined ? undefined : visitors >= number),
      least: () => 0,
      request() {},
    },
    settle: async () => false,
    patience: () => () => true,
  })
  const request = new IncomingMessage(new Socket())
  return { decide, live: resolution.live, request, described: () => described }
}

const ended = { ended: 'Over' }

test('the route takes the decision that the fast path cannot answer: a visit is described once', () => {
  const { decide, live, request, described } = openWith([{ when: { os: ['iOS'] }, then: ended }])
  const decision = decide.ifLoaded(request, live)
  assert.deepEqual([decision?.met, decision?.scan.answer], [{ number: 1, answer: ended }, 1])
  assert.ok(decision)
  decide.keep(request, live, decision)
  assert.equal(decide.ifLoaded(request, live), decision)
  assert.equal(described(), 1)
  // The link has changed in the meantime.
  const changed: RuledLink = { ...live }
  assert.notEqual(decide.ifLoaded(request, changed), decision)
})

test('a decision that depends on the number of scans is not kept: other visits may be recorded before the next call', () => {
  const { decide, live, request } = openWith([{ when: { after_scans: 5 }, then: ended }], 5)
  const decision = decide.ifLoaded(request, live)
  assert.equal(decision?.met?.number, 1)
  assert.ok(decision)
  decide.keep(request, live, decision)
  assert.notEqual(decide.ifLoaded(request, live), decision)
})

test('while the numbers of scans and people are not known, no rule that depends on them is met', async () => {
  const rules = [
    { when: { after_scans: 1 }, then: ended },
    { when: { after_visitors: 1 }, then: ended },
    { when: {}, then: { target: 'https://example.com/next' } },
  ]
  const { decide, live, request } = openWith(rules)
  assert.equal(decide.ifLoaded(request, live), undefined)
  assert.equal((await decide.onceLoaded(request, live)).met?.number, 3)
  const withoutPeople = openWith(rules.slice(1), 5)
  assert.equal(withoutPeople.decide.ifLoaded(withoutPeople.request, withoutPeople.live), undefined)
  const known = openWith(rules.slice(1), 5, 1)
  assert.equal(known.decide.ifLoaded(known.request, known.live)?.met?.number, 1)
})
