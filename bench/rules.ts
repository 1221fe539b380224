// Claim: rules cost a visit less than 2 µs, even if none of 20 is met. The service's own functions, in this process: what a visit of a cached link
// does before its scan is written.
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Rule } from '../src/links/rules/rule.ts'
import { createAgentParser } from '../src/scans/describing/agent.ts'
import { createDescribe, createIdentify } from '../src/scans/describing/describe.ts'
import { createReferrerParser } from '../src/scans/describing/referrer.ts'
import { openVisitorKeys } from '../src/scans/describing/visitors.ts'
import { createDecide, hasRules } from '../src/visits/decide.ts'
import { createResolver } from '../src/visits/resolve.ts'
import { link } from '../test/support/visited.ts'
import { median, printTable, temporaryFolder } from './support.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 9)
const VISITS = 200_000

const request = new IncomingMessage(new Socket())
request.url = '/code?qr=1'
request.headers = {
  'user-agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
  'accept-language': 'de-AT,de;q=0.9,en;q=0.8',
}

const deps = {
  now: Date.now,
  client: {
    of: () => '8.8.8.8',
    isProxied: () => false,
    isInternal: () => false,
    forwarding: () => ({ ignored: null, isSeen: false }),
  },
  keys: openVisitorKeys(temporaryFolder()),
  parseAgent: createAgentParser(),
  parseReferrer: createReferrerParser(() => false),
  findPlace: () => ({ country: 'US', city: null }),
  countryHeader: undefined,
}
const describe = createDescribe(deps)
const decide = createDecide({
  describe,
  identify: createIdentify(deps),
  humanScans: { of: () => 10, isCurrent: () => true, request() {} },
  visitors: { has: () => false, least: () => 10, request() {} },
  loadNumbers: async () => true,
  patience: () => () => true,
})

const then = { target: 'https://example.com/elsewhere' }
const times20 = (when: Rule['when']): Rule[] => Array.from({ length: 20 }, () => ({ when, then }))
const cases: Record<string, Rule[] | null> = {
  'no rules': null,
  '1 rule, by country': [{ when: { country: ['DE'] }, then }],
  '20 rules, by country': times20({ country: ['DE', 'AT', 'CH'] }),
  '20 rules, by language': times20({ language: ['fr', 'nl'] }),
  '20 rules, by local time': times20({ hours: ['00:00-00:01'], weekdays: ['mon'], timezone: 'Europe/Berlin' }),
  '20 rules, by percentage': times20({ percent: 1, source: 'qr' }),
  '20 rules, all conditions, the last one fails': times20({
    device: ['mobile'],
    os: ['iOS'],
    country: ['US'],
    source: 'qr',
    from: '2020-01-01T00:00:00Z',
    until: '2100-01-01T00:00:00Z',
    weekdays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    timezone: 'Europe/Berlin',
    language: ['de'],
    after_scans: 1_000_000,
    after_visitors: 1_000_000,
  }),
}

const visits = Object.entries(cases).map(([name, rules]) => {
  const { resolve } = createResolver(() => ({ ...link(1), rules: rules && JSON.stringify(rules) }), Date.now)
  // Read twice, so that it is cached.
  for (let at = 0; at < 3; at++) void resolve('code')
  return { name, visit: () => visitOnce(resolve), nanoseconds: [] as number[] }
})

/** Returns a number, so that nothing is optimized away. */
function visitOnce(resolve: ReturnType<typeof createResolver>['resolve']): number {
  const resolution = resolve('code')
  if (resolution instanceof Promise || resolution.state !== 'live') throw new Error('it is cached and live')
  const { live } = resolution
  if (!hasRules(live)) return describe(request, live).at + Number(live.visit({ platform: 'ios' }).type === 'redirect')
  const decision = decide.ifLoaded(request, live)
  if (decision?.met === undefined) return Number(live.visit({ platform: 'ios' }).type === 'redirect')
  return decision.met.number
}

let sum = 0
for (let round = 0; round < ROUNDS; round++) {
  for (const { visit, nanoseconds } of visits) {
    const startedAt = process.hrtime.bigint()
    for (let at = 0; at < VISITS; at++) sum += visit()
    nanoseconds.push(Number(process.hrtime.bigint() - startedAt) / VISITS)
  }
}
const of = (name: string) => median(visits.find((each) => each.name === name)?.nanoseconds.slice(1) ?? [])
const base = of('no rules')
printTable(
  `A visit before its scan is written, ${ROUNDS - 1} rounds of ${VISITS.toLocaleString('en')}, medians`,
  visits.map(({ name }) => ({
    rules: name,
    µs: (of(name) / 1000).toFixed(2),
    'more µs': ((of(name) - base) / 1000).toFixed(2),
    ratio: (of(name) / base).toFixed(2),
  })),
)
if (sum === 0) throw new Error('unreachable')
