import assert from 'node:assert/strict'
import type { VisitFacts } from '../../../src/links/rules/compile.ts'
import { preferredLanguage } from '../../../src/links/rules/language.ts'
import type { Rule } from '../../../src/links/rules/rule.ts'
import { fc } from '../fast-check.ts'
import { interpret } from '../rules.ts'
import { fieldsOf, linkAt, type ModelLink, type World } from './model.ts'
import { noValues } from '../no-values.ts'

/** What visitors browse with: the last one is a robot. */
const agents = [
  { device: 'desktop', os: 'Windows', name: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Firefox/140.0' },
  { device: 'mobile', os: 'iOS', name: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148' },
  { device: 'tablet', os: 'Android', name: 'Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Safari/537.36' },
  { device: null, os: null, name: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
] as const

/** One of a few people and robots. */
export const visitor = fc.record({
  address: fc.nat(3),
  isQr: fc.boolean(),
  agent: fc.nat(agents.length - 1),
  country: fc.constantFrom('DE', 'AT', 'US', 'FR'),
  languages: fc.constantFrom('de', 'de-AT,en;q=0.5', 'pt;q=0.3', 'fr;q=0.2,pt-BR;q=0.9', '*'),
})

/** Parameters of a command: the visitors of a link, one after another. */
export const byVisitors = { link: fc.nat(3), visitors: fc.array(visitor, { minLength: 1, maxLength: 5 }) }

export type Visitor = typeof visitor extends fc.Arbitrary<infer T> ? T : never

/** A node knows the scans of another once that has folded them, and it then has folded again. */
async function shareScans({ isOneNode, server }: World, one: ModelLink): Promise<void> {
  if (isOneNode || fieldsOf(one).rules.every(({ when }) => (when.after_scans ?? when.after_visitors) === undefined))
    return
  for (let fold = 0; fold < 2; fold++) await server.services.scans.awaitFold()
}

/** The request of a visitor, what rules know of it, and its scan. */
export async function arrive(world: World, link: number, { address, isQr, agent: at, country, languages }: Visitor) {
  const one = linkAt(world, link)
  await shareScans(world, one)
  const agent = agents[at] ?? agents[0]
  const { device, os, name } = agent
  const bot = device === null
  const headers = {
    'x-forwarded-for': `81.2.69.${address + 1}`,
    'user-agent': name,
    'cf-ipcountry': country,
    'accept-language': languages,
  }
  const people = one.scans.filter((scan) => !scan.bot)
  // Each agent has a device of its own.
  const visitors = new Set(people.map((scan) => `${Math.floor(scan.at / 86_400_000)}|${scan.visitor}`))
  const facts: VisitFacts = {
    ...noValues,
    at: ++world.now,
    device,
    os,
    country,
    source: isQr ? 'qr' : 'link',
    language: () => preferredLanguage(languages),
    share: () => assert.fail('no rule has a percentage'),
    humanScans: () => people.length,
    hasVisitors: (number) => visitors.size >= number,
  }
  const scan = { at: world.now, isQr, bot, device, visitor: `${address}|${at}` }
  return { one, url: `${world.server.url}/${one.link.code}${isQr ? '?qr=1' : ''}`, headers, facts, scan }
}

/** The response of a link that a visitor may open: where it leads or what it says, and the rule, if any. */
export function answerOf(one: ModelLink, facts: VisitFacts): Rule['then'] & { by: string } {
  const { rules, target } = fieldsOf(one)
  const number = interpret(rules, facts)
  return number === undefined ? { target, by: 'link' } : { ...rules[number - 1]?.then, by: String(number) }
}

/** @param redirect the status of a redirect */
export async function expectAnswer(
  response: Response,
  { target, ended }: Pick<Rule['then'], 'target' | 'ended'>,
  redirect: 302 | 303,
): Promise<void> {
  const expected = ended === undefined ? [redirect, target] : [410, null]
  assert.deepEqual([response.status, response.headers.get('location')], expected)
  const text = await response.text()
  if (ended !== undefined && response.body !== null) assert.ok(text.includes(ended), text)
}
