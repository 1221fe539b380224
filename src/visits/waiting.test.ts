import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Fastify from 'fastify'
import { poll } from '../../test/support/poll.ts'
import { scan } from '../../test/support/fold-folders.ts'
import { link } from '../../test/support/visited.ts'
import { createDecide } from './decide.ts'
import type { LiveLink } from './live-link.ts'
import { createResolver } from './resolve.ts'
import { visitRoutes } from './routes.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const page = { kind: 'page', target: null, payload: JSON.stringify({ headline: 'Bakery' }) }

/** A service whose pages, and whose numbers of visitors, come when the test says so. */
function openVisit(t: TestContext, rules: readonly object[] | null) {
  const resolver = createResolver(
    () => ({ ...link(1), ...page, rules: rules && JSON.stringify(rules) }),
    () => 0,
  )
  const read: WeakRef<LiveLink>[] = []
  const waits = { turn: Promise.withResolvers<void>(), numbers: Promise.withResolvers<boolean>() }
  const decide = createDecide({
    describe: (_request, { id: linkId }) => scan({ linkId }),
    identify: () => 1,
    humanScans: { of: () => undefined, isCurrent: () => false, request() {} },
    visitors: { has: () => undefined, least: () => 0, request() {} },
    loadNumbers: () => waits.numbers.promise,
    patience: () => () => true,
  })
  const { plain } = visitRoutes({
    ...resolver,
    resolve(code) {
      const resolution = resolver.resolve(code)
      if ('live' in resolution) read.push(new WeakRef(resolution.live))
      return resolution
    },
    decide,
    visitorOf: () => ({ platform: 'other', browser: null }),
    record: (_request, _link, recorded) => recorded(),
    recordScan: (_scan, recorded) => recorded(),
    isTurnFree: () => false,
    turnToRender: () => waits.turn.promise,
    origin: { of: () => 'https://go.example.com', ofPages: () => undefined },
  })
  const app = Fastify()
  t.after(() => app.close())
  app.get('/:code', plain.handler as never)
  return { app, read, waits }
}

for (const [what, rules] of [
  ['its turn to be rendered', null],
  ['a number of visitors on which a rule depends', [{ when: { after_visitors: 5 }, then: { ended: 'Over' } }]],
] as const) {
  test(`a visit that waits for ${what} keeps nothing of the link, and reads it again then`, async (t) => {
    const { app, read, waits } = openVisit(t, rules)
    const visit = app.inject({ path: '/code', headers: { accept: 'text/html' } })
    await poll(() => read.length === 1)
    await poll(() => {
      collect()
      return read[0]?.deref() === undefined
    })
    waits.numbers.resolve(false)
    waits.turn.resolve()
    assert.match((await visit).body, /Bakery/)
    assert.equal(read.length > 1, true)
  })
}
