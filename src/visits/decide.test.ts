import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { scan } from '../../test/support/fold-folders.ts'
import { link } from '../../test/support/visited.ts'
import type { Rule } from '../links/rules/rule.ts'
import { createDecide, hasRules, numbersOf } from './decide.ts'
import { createResolver } from './resolve.ts'

/** Decisions about a link with rules. */
function openWith(rules: Rule[], people?: number, visitors?: number) {
  const { resolve } = createResolver(
    () => ({ ...link(1), rules: JSON.stringify(rules) }),
    () => 0,
  )
  const resolution = resolve('code')
  assert.ok('live' in resolution && hasRules(resolution.live))
  const decide = createDecide({
    describe: (_request, { id: linkId }) => scan({ linkId }),
    identify: () => 1,
    humanScans: { of: () => people, isCurrent: () => people !== undefined, request() {} },
    visitors: {
      has: (_linkId, number) => (visitors === undefined ? undefined : visitors >= number),
      least: () => 0,
      request() {},
    },
    loadNumbers: async () => false,
    patience: () => () => true,
  })
  const request = new IncomingMessage(new Socket())
  return { decide, live: resolution.live, request }
}

const ended = { ended: 'Over' }

test('while the numbers of scans and people are not known, no rule that depends on them is met', async () => {
  const rules = [
    { when: { after_scans: 1 }, then: ended },
    { when: { after_visitors: 1 }, then: ended },
    { when: {}, then: { target: 'https://example.com/next' } },
  ]
  const { decide, live, request } = openWith(rules)
  assert.equal(decide.ifLoaded(request, live), undefined)
  const reread = async () => live
  assert.equal(await decide.onceLoaded(request, numbersOf(live), reread, ({ met }) => met?.number), 3)
  const withoutPeople = openWith(rules.slice(1), 5)
  assert.equal(withoutPeople.decide.ifLoaded(withoutPeople.request, withoutPeople.live), undefined)
  const known = openWith(rules.slice(1), 5, 1)
  assert.equal(known.decide.ifLoaded(known.request, known.live)?.met?.number, 1)
})
