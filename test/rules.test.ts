import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { test, type TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Rule } from '../src/links/rules/rule.ts'
import { ruleErrors } from '../src/links/rules/check.ts'
import { preferredLanguage } from '../src/links/rules/language.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { fc } from './support/fast-check.ts'
import { ask } from './support/http.ts'
import { poll } from './support/poll.ts'
import { exitOf, start } from './support/program.ts'
import { oneOf, seededRandom, seedOf } from './support/random.ts'
import { conditions, interpret, NOON } from './support/rules.ts'
import {
  create,
  post,
  put,
  skipUnlessOneNode,
  startServer,
  visit,
  type Created,
  type TestServer,
  manage,
} from './support/server.ts'
import { noValues } from './support/no-values.ts'

const OWN = 'https://example.com/own'
const DAY = 86_400_000

const people = {
  iphone: {
    device: 'mobile',
    os: 'iOS',
    agent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148',
  },
  android: { device: 'tablet', os: 'Android', agent: 'Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Safari/537.36' },
  windows: { device: 'desktop', os: 'Windows', agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0' },
}
const BROWSER = { 'user-agent': people.windows.agent }
const BOT = { 'user-agent': 'Googlebot/2.1' }
const behindProxy = { TRUST_PROXY: '127.0.0.1', GEO_HEADERS: 'cloudflare' }

const to = (path: string | number): Rule['then'] => ({ target: `https://example.com/${path}` })
const ended: Rule['then'] = { ended: 'Sold out <b>today</b>\n& tomorrow' }

const json = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Record<string, unknown>
const locationOf = async (url: string, headers: Record<string, string> = BROWSER) =>
  (await visit(url, headers)).headers.get('location')

interface Stats {
  totals: Record<string, number>
  breakdowns: { answer: { value: string; scans: number; unique_visitors: number }[] }
}
const statsOf = async (server: TestServer, link: Created) =>
  (await json(fetch(`${manage(server, link)}/stats?days=30`))) as unknown as Stats
const answersOf = async (server: TestServer, link: Created) =>
  Object.fromEntries((await statsOf(server, link)).breakdowns.answer.map(({ value, scans }) => [value, scans]))

/** `npm run test:faults` makes more. */
const VISITS = Number(process.env['VISITS'] ?? 2000)

test(`${VISITS} random visits get what an interpreter of the rules says, by both paths, and are counted so`, async (t) => {
  const seed = seedOf(t)
  const random = seededRandom(t)
  let now = NOON - 4 * DAY
  const server = await startServer(t, behindProxy, () => now)
  const lists = fc.sample(fc.array(conditions(false), { maxLength: 20 }), { seed, numRuns: 60 })
  const links = await Promise.all(
    lists.map(async (whens, at) => {
      const rules = whens
        // Several nodes count each other's scans later.
        .map(({ after_scans, after_visitors, ...when }) =>
          skipUnlessOneNode ? when : JSON.parse(JSON.stringify({ ...when, after_scans, after_visitors })),
        )
        .map((when, number): Rule => ({ when, then: number % 5 === 4 ? ended : to(number) }))
        .filter((rule) => ruleErrors([rule]).length === 0)
      const kinds = [
        { target: OWN },
        { kind: 'vcard', org: 'ACME' },
        { kind: 'page', headline: 'Hi' },
        { ios: OWN, kind: 'appstore' },
      ]
      const link = await create(server, { ...kinds[at % 4], rules, utm: { utm_source: 'x' } })
      const answers: Record<string, number> = {}
      return { link, rules, people: 0, visitors: new Set<string>(), answers }
    }),
  )
  const agent = new Agent({ keepAlive: true })
  for (let at = 0; at < VISITS; at++) {
    now += Math.floor(random() * 2 * ((8 * DAY) / VISITS))
    const each = oneOf(random, links)
    const { device, os, agent: userAgent } = oneOf(random, Object.values(people))
    const country = oneOf(random, ['DE', 'AT', 'US', 'FR'])
    const languages = oneOf(random, ['de', 'de-AT,en;q=0.5', 'pt', 'fr;q=0.2,pt-BR;q=0.9', '*'])
    const ending = oneOf(random, ['', '/', '?qr=1', '/?qr=1', '.Q'])
    const method = random() < 0.1 ? 'HEAD' : 'GET'
    const answer = await ask(`${server.url}/${each.link.code}${ending}`, {
      agent,
      method,
      headers: { 'user-agent': userAgent, 'cf-ipcountry': country, 'accept-language': languages, accept: 'text/html' },
    })
    const source = ending.includes('q') || ending === '.Q' ? 'qr' : 'link'
    const language = () => preferredLanguage(languages)
    const counts = { humanScans: () => each.people, hasVisitors: (least: number) => each.visitors.size >= least }
    const facts = { ...noValues, at: now, device, os, country, source, language, share: () => 0, ...counts } as const
    const number = interpret(each.rules, facts)
    const rule = number === undefined ? undefined : each.rules[number - 1]
    const what = JSON.stringify({ at, ending, method, facts, rules: each.rules, status: answer.status })
    if (rule?.then.target !== undefined) assert.equal(answer.headers.location, `${rule.then.target}?utm_source=x`, what)
    else if (rule !== undefined) assert.equal(answer.status, 410, what)
    else assert.ok(answer.status === 200 || answer.headers.location === `${OWN}?utm_source=x`, what)
    if (method === 'HEAD') continue
    each.people++
    each.visitors.add(`${Math.floor(now / DAY)} ${device}`)
    each.answers[number ?? 'link'] = (each.answers[number ?? 'link'] ?? 0) + 1
  }
  agent.destroy()
  for (const { link, answers } of links) assert.deepEqual(await answersOf(server, link), answers)
  t.diagnostic(`${links.flatMap(({ answers }) => Object.keys(answers)).length} answers of ${links.length} links`)
})

test('a rule that is switched off answers no visit, keeps the numbers of the others, and is in force again without `off`', async (t) => {
  const server = await startServer(t)
  const rules = [
    { when: {}, then: to('first'), off: true },
    { when: {}, then: to('second') },
  ]
  const link = await create(server, { target: OWN, rules })
  assert.equal(await locationOf(link.short_url), 'https://example.com/second')
  assert.deepEqual(await answersOf(server, link), { 2: 1 })
  assert.doesNotMatch(await (await fetch(`${link.short_url}+`)).text(), /example\.com\/first/)
  assert.deepEqual((await json(fetch(manage(server, link))))['rules'], rules)
  await put(manage(server, link), { rules: rules.map(({ when, then }) => ({ when, then })) })
  assert.equal(await locationOf(link.short_url), 'https://example.com/first')
  const refused = await put(manage(server, link), { rules: [{ when: {}, then: to('x'), off: 'yes' }] })
  assert.equal(refused.status, 400)
})

test('a rule that is switched off counts on no page', async (t) => {
  const server = await startServer(t)
  const rule = { when: { hours: ['09:00-17:30'], timezone: 'UTC' }, then: to('a') }
  const link = await create(server, { target: OWN, rules: [{ ...rule, off: true }] })
  const pageOf = async (path: string) => (await fetch(`${server.url}${path}`)).text()
  const owner = `/m/${link.token}`
  const before = await pageOf(owner)
  assert.deepEqual([/checked before this/.test(before), /scheduled by rules/.test(before)], [false, false])
  assert.doesNotMatch(await pageOf(`/${link.code}+`), />rules</)
  await put(manage(server, link), { rules: [rule, { ...rule, off: true }] })
  assert.match(await pageOf(owner), /scheduled by rules.*One rule is checked before this/s)
  assert.match(await pageOf(`/${link.code}+`), />rules</)
})

test('a percentage is of the visitors, each of whom gets one answer all day, also when none of it is recorded', async (t) => {
  // Noon of tomorrow: PostgreSQL drops the salts of days that are over by its own clock.
  let now = Math.ceil(Date.now() / DAY) * DAY + DAY / 2
  const server = await startServer(t, behindProxy, () => now)
  const link = await create(server, {
    target: OWN,
    rules: [
      { when: { percent: 50 }, then: to('a') },
      { when: { percent: 50 }, then: to('b') },
    ],
  })
  const addresses = Array.from({ length: 400 }, (_, at) => `8.8.${at >> 8}.${at & 255}`)
  const other = await create(server, { target: OWN, rules: [{ when: { percent: 50 }, then: to('a') }] })
  for (const optOut of [{}, { 'sec-gpc': '1' }, { dnt: '1' }]) {
    const answers = (url = link.short_url, from = addresses) =>
      Promise.all(from.map((address) => locationOf(url, { ...BROWSER, ...optOut, 'x-forwarded-for': address })))
    const few = () => answers(other.short_url, addresses.slice(0, 40))
    // Nodes whose clocks jump by days agree on the salt of the day after the first visit.
    await poll(async () => isDeepStrictEqual(await few(), await few()))
    const first = await answers()
    now += 3_600_000
    assert.deepEqual(await answers(), first)
    // Means of 200, 100 and 100, with standard deviations of 10, 8.7 and 8.7.
    const count = (location: string) => first.filter((each) => each === location).length
    const [a, b, own] = [count('https://example.com/a'), count('https://example.com/b'), count(OWN)]
    assert.ok(Math.abs(a - 200) < 60 && Math.abs(b - 100) < 52 && Math.abs(own - 100) < 52, `${a} ${b} ${own}`)
    now += DAY - 3_600_000
    assert.notDeepEqual(await answers(), first)
    now += DAY
  }
  const { totals } = await statsOf(server, link)
  // Two days of visitors that did not opt out; no visitor of the others is recorded.
  assert.deepEqual([totals['scans'], totals['unique_visitors']], [3600, 800])
})

// Several nodes count each other's scans later: docs/scale.md says how much.
test(
  'of parallel visits at a limit of scans, exactly the right number pass, also after a restart',
  { skip: skipUnlessOneNode },
  async (t) => {
    const dataDir = temporaryFolder(t)
    let server = await startServer(t, { DATA_DIR: dataDir })
    const rules = [{ when: { after_scans: 60 }, then: ended }]
    const link = await create(server, { target: OWN, rules })
    const passed = async (visits: number) => {
      const url = `${server.url}/${link.code}`
      const all = await Promise.all(Array.from({ length: visits }, () => visit(url, BROWSER)))
      return all.filter(({ status }) => status === 302).length
    }
    assert.equal(await passed(20), 20)
    // Neither HEAD, nor a bot, nor a preview is a scan by a person.
    for (let at = 0; at < 5; at++) {
      await fetch(`${server.url}/${link.code}`, { method: 'HEAD', redirect: 'manual', headers: BROWSER })
      await visit(`${server.url}/${link.code}`, BOT)
      await visit(`${server.url}/${link.code}+`, BROWSER)
    }
    assert.equal(await passed(20), 20)
    await server.stop()
    server = await startServer(t, { DATA_DIR: dataDir })
    assert.equal(await passed(30), 20)
    assert.equal(await passed(30), 0)
    assert.deepEqual(await answersOf(server, link), { link: 65, 1: 40 })
    // The page of a link takes another path.
    const page = await create(server, {
      kind: 'page',
      headline: 'Hi',
      rules: [{ when: { after_scans: 5 }, then: ended }],
    })
    for (const pages of [5, 0]) {
      const visits = Array.from({ length: 20 }, () => visit(`${server.url}/${page.code}`, BROWSER))
      assert.equal((await Promise.all(visits)).filter(({ status }) => status === 200).length, pages)
    }
    // A link that gets such a rule has had its scans before.
    const late = await create(server, { target: OWN })
    const lateUrl = `${server.url}/${late.code}`
    await Promise.all(Array.from({ length: 10 }, () => visit(lateUrl, BROWSER)))
    await put(manage(server, late), { rules: [{ when: { after_scans: 12 }, then: ended }] })
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await visit(lateUrl, BROWSER)).status))
    assert.equal(statuses.filter((status) => status === 302).length, 2)
  },
)

test('a limit of scans holds through kill -9', async (t) => {
  const dataDir = temporaryFolder(t)
  const first = await start(t, dataDir)
  const link = await create(first, { target: OWN, rules: [{ when: { after_scans: 50 }, then: ended }] })
  const passed = async (url: string, visits: number) => {
    const all = await Promise.all(Array.from({ length: visits }, () => visit(`${url}/${link.code}`, BROWSER)))
    return all.filter(({ status }) => status === 302).length
  }
  let total = 0
  for (let round = 0; round < 3; round++) total += await passed(first.url, 10)
  first.process.kill('SIGKILL')
  await exitOf(first)
  const second = await start(t, dataDir)
  total += await passed(second.url, 40)
  assert.equal(total, 50)
})

/** A person for each number, who comes by a proxy. */
const personal = (person: number, agent: string = people.windows.agent) => ({
  'x-forwarded-for': `198.51.${100 + (person >> 8)}.${person & 255}`,
  'user-agent': agent,
})
const behindLoopback = { TRUST_PROXY: '127.0.0.1' }

test(
  'of parallel visits at a limit of people, exactly the right number of people pass, also after a restart',
  { skip: skipUnlessOneNode },
  async (t) => {
    const dataDir = temporaryFolder(t)
    let server = await startServer(t, { DATA_DIR: dataDir, ...behindLoopback })
    const rules = [{ when: { after_visitors: 60 }, then: ended }]
    const link = await create(server, { target: OWN, rules })
    const passed = async (from: number, to: number, more: Record<string, string> = {}) => {
      const url = `${server.url}/${link.code}`
      const all = Array.from({ length: to - from }, (_, at) => visit(url, { ...personal(from + at), ...more }))
      return (await Promise.all(all)).filter(({ status }) => status === 302).length
    }
    assert.equal(await passed(0, 20), 20)
    // The same people again, some with another version of their browser; robots; and who opts out of being told from others.
    assert.equal(await passed(0, 20), 20)
    assert.equal(await passed(5, 15, { 'user-agent': people.windows.agent.replace('140.0', '141.0') }), 10)
    assert.equal(await passed(100, 110, BOT), 10)
    assert.equal(await passed(200, 210, { 'sec-gpc': '1' }), 10)
    await server.stop()
    server = await startServer(t, { DATA_DIR: dataDir, ...behindLoopback })
    // After a restart nobody knows who has been here, but how many.
    assert.equal(await passed(0, 59), 59)
    assert.equal(await passed(0, 59), 59)
    assert.equal(await passed(500, 530), 1)
    assert.equal(await passed(0, 59), 0)
    const late = await create(server, { target: OWN })
    const visitAll = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => visit(`${server.url}/${late.code}`, personal(at))))
    await visitAll(10)
    await put(manage(server, late), { rules: [{ when: { after_visitors: 12 }, then: ended }] })
    // The ten are no further people, whenever their visits come.
    assert.equal((await visitAll(40)).slice(10).filter(({ status }) => status === 302).length, 2)
  },
)

test('a limit of people holds through kill -9', async (t) => {
  const dataDir = temporaryFolder(t)
  const first = await start(t, dataDir, [], { env: behindLoopback })
  const link = await create(first, { target: OWN, rules: [{ when: { after_visitors: 50 }, then: ended }] })
  const passed = async (url: string, from: number, to: number) => {
    const all = Array.from({ length: to - from }, (_, at) => visit(`${url}/${link.code}`, personal(from + at)))
    return (await Promise.all(all)).filter(({ status }) => status === 302).length
  }
  let total = 0
  for (let round = 0; round < 3; round++) total += await passed(first.url, 10 * round, 10 * round + 10)
  first.process.kill('SIGKILL')
  await exitOf(first)
  const second = await start(t, dataDir, [], { env: behindLoopback })
  total += await passed(second.url, 30, 80)
  assert.equal(total, 50)
})

test('one client with any agents does not end what is for 100 people, and is 80 visitors at most', async (t) => {
  const server = await startServer(t)
  const rules = [{ when: { after_visitors: 100 }, then: ended }]
  const link = await create(server, { target: OWN, rules })
  const systems = [
    'Windows NT 10.0',
    'iPhone; CPU iPhone OS 18_0',
    'Linux; Android 15',
    'X11; Linux x86_64',
    'X11; CrOS x86_64',
  ]
  const browsers = [
    'Firefox/140.0',
    'Chrome/140.0',
    'Edg/140.0',
    'OPR/110.0',
    'SamsungBrowser/25',
    'Vivaldi/7.0',
    'YaBrowser/25',
  ]
  const agentOf = (at: number) =>
    `Mozilla/5.0 (${systems[at % 5]}) ${browsers[at % 7]} ${at % 3 === 0 ? 'Mobile' : ''} ${at}`
  const visits = Array.from({ length: 1000 }, (_, at) => visit(link.short_url, { 'user-agent': agentOf(at) }))
  assert.ok((await Promise.all(visits)).every(({ status }) => status === 302))
  const { totals } = await statsOf(server, link)
  assert.equal(totals['humans'], 1000)
  assert.ok((totals['unique_visitors'] ?? 0) <= 80, JSON.stringify(totals))
  // Those of which nothing is known but that they differ are 16, and one for all others.
  const plain = Array.from({ length: 1000 }, (_, at) => visit(link.short_url, { 'user-agent': `agent ${at}` }))
  await Promise.all(plain)
  const more = (await statsOf(server, link)).totals
  assert.equal((more['unique_visitors'] ?? 0) - (totals['unique_visitors'] ?? 0), 17)
})

test('a link that has ended says so on a page and to programs, and its visits are recorded', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: OWN, alias: 'Over', rules: [{ when: {}, then: ended }] })
  for (const ending of ['', '/', '.Q', '?qr=1']) {
    const page = await visit(`${server.url}/over${ending}`, { ...BROWSER, accept: 'text/html' })
    const text = await page.text()
    assert.deepEqual([page.status, page.headers.get('cache-control')], [410, 'private, no-store'])
    assert.match(text, /<h1>This offer has ended<\/h1>/)
    assert.ok(text.includes('Sold out &lt;b&gt;today&lt;/b&gt;\n&amp; tomorrow'), text)
  }
  const problem = await visit(`${server.url}/over`, BROWSER)
  assert.deepEqual(
    [problem.status, problem.headers.get('content-type')],
    [410, 'application/problem+json; charset=utf-8'],
  )
  const { code, detail } = await json(problem)
  assert.deepEqual([code, detail], ['link_ended', ended.ended])
  const head = await fetch(`${server.url}/over`, { method: 'HEAD' })
  assert.deepEqual([head.status, await head.text()], [410, ''])
  assert.deepEqual(await answersOf(server, link), { 1: 5 })
  const csv = await (await fetch(`${manage(server, link)}/scans.csv`)).text()
  assert.ok(
    csv
      .trim()
      .split('\r\n')
      .slice(1)
      .every((line) => line.endsWith(',1,')),
    csv,
  )

  const card = await create(server, { kind: 'vcard', org: 'ACME', rules: [{ when: { source: 'link' }, then: ended }] })
  assert.equal((await visit(`${server.url}/${card.code}.vcf`)).status, 410)
  assert.equal((await visit(`${server.url}/${card.code}?qr=1`)).status, 200)
  await put(manage(server, card), { rules: [{ when: {}, then: to('file') }] })
  assert.equal(await locationOf(`${server.url}/${card.code}.vcf`), 'https://example.com/file')
  await put(manage(server, card), { rules: [{ when: { source: 'qr' }, then: ended }] })
  assert.match(await (await visit(`${server.url}/${card.code}.vcf`)).text(), /^BEGIN:VCARD/)

  await put(manage(server, link), { active: false })
  assert.equal((await visit(`${server.url}/over`)).status, 404)
})

test('rules are created, changed and cleared, and the next visit sees each change', async (t) => {
  const server = await startServer(t)
  const rules: Rule[] = [{ when: { os: ['Windows'] }, then: to('windows') }]
  const link = await create(server, { target: OWN, rules, utm: { utm_source: 'x' } })
  const visits = async () => [...new Set([await locationOf(link.short_url), await locationOf(`${link.short_url}/`)])]
  assert.deepEqual((await json(fetch(manage(server, link))))['rules'], rules)
  for (let again = 0; again < 3; again++) assert.deepEqual(await visits(), ['https://example.com/windows?utm_source=x'])
  const other: Rule[] = [{ when: { os: ['iOS'] }, then: ended }, ...rules]
  const changed = await put(manage(server, link), { rules: other })
  assert.deepEqual([changed.status, (await json(changed))['rules']], [200, other])
  assert.deepEqual(await visits(), ['https://example.com/windows?utm_source=x'])
  await put(manage(server, link), { title: 'Menu', utm: { utm_source: 'y' } })
  assert.deepEqual(await visits(), ['https://example.com/windows?utm_source=y'])
  for (const cleared of [null, []]) {
    await put(manage(server, link), { rules })
    assert.deepEqual(await visits(), ['https://example.com/windows?utm_source=y'])
    assert.deepEqual((await json(put(manage(server, link), { rules: cleared })))['rules'], [])
    assert.deepEqual(await visits(), [`${OWN}?utm_source=y`])
  }
  const many = await post(`${server.url}/api/manage`, { changes: [{ token: link.token, rules }] })
  assert.equal(many.status, 200, await many.text())
  assert.deepEqual(await visits(), ['https://example.com/windows?utm_source=y'])
  const bulk = (await json(
    post(`${server.url}/api/bulk`, [
      { target: OWN, rules },
      { target: OWN, rules: [{ when: {}, then: {} }] },
    ]),
  )) as { results: (Created & { error?: { errors: { pointer: string }[] } })[] }
  assert.equal(await locationOf(bulk.results[0]?.short_url ?? ''), 'https://example.com/windows')
  assert.deepEqual(
    bulk.results[1]?.error?.errors.map(({ pointer }) => pointer),
    ['/rules/0/then'],
  )
})

test('an invalid rule is refused by its field, in creations and changes', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: OWN })
  const many = Array.from({ length: 21 }, () => ({ when: {}, then: ended }))
  for (const [rules, pointer] of [
    ['x', '/rules'],
    [{}, '/rules'],
    [many, '/rules'],
    [[null], '/rules/0'],
    [[{ when: {} }], '/rules/0/then'],
    [[{ then: ended }], '/rules/0/when'],
    [[{ when: {}, then: ended, note: 'x' }], '/rules/0/note'],
    [[{ when: { weather: 'rain' }, then: ended }], '/rules/0/when/weather'],
    [[{ when: { __proto__: null, device: 'mobile' }, then: ended }], '/rules/0/when/device'],
    [[{ when: { device: ['phone'] }, then: ended }], '/rules/0/when/device/0'],
    [[{ when: { os: ['DOS'] }, then: ended }], '/rules/0/when/os/0'],
    [[{ when: { os: [null] }, then: ended }], '/rules/0/when/os/0'],
    [[{ when: { country: ['UK'] }, then: ended }], '/rules/0/when/country/0'],
    [[{ when: { country: Array.from({ length: 251 }, () => 'DE') }, then: ended }], '/rules/0/when/country'],
    [[{ when: { language: ['*'] }, then: ended }], '/rules/0/when/language/0'],
    [[{ when: { language: ['d'.repeat(100_000)] }, then: ended }], '/rules/0/when/language/0'],
    [[{ when: { source: 'mail' }, then: ended }], '/rules/0/when/source'],
    [[{ when: { from: '2026-12-31T18:00:00' }, then: ended }], '/rules/0/when/from'],
    [[{ when: { from: '2026-02-30T18:00:00Z' }, then: ended }], '/rules/0/when/from'],
    [[{ when: { until: 5 }, then: ended }], '/rules/0/when/until'],
    [[{ when: { hours: ['09:00-25:00'], timezone: 'UTC' }, then: ended }], '/rules/0/when/hours/0'],
    [[{ when: { weekdays: ['mon'], timezone: '2026-01-01T00:00[UTC]' }, then: ended }], '/rules/0/when/timezone'],
    [[{ when: { weekdays: ['mon'], timezone: '+01:00' }, then: ended }], '/rules/0/when/timezone'],
    [[{ when: { weekdays: ['mon'], timezone: 'Europe/Nowhere' }, then: ended }], '/rules/0/when/timezone'],
    [[{ when: { after_scans: '5' }, then: ended }], '/rules/0/when/after_scans'],
    [[{ when: { percent: 0 }, then: ended }], '/rules/0/when/percent'],
    [[{ when: {}, then: { ended: '' } }], '/rules/0/then/ended'],
    [[{ when: {}, then: { ended: 'a\u0000b' } }], '/rules/0/then/ended'],
    [[{ when: {}, then: { target: OWN, ended: 'x' } }], '/rules/0/then'],
    [[{ when: {}, then: { target: 'https://10.0.0.1/' } }], '/rules/0/then/target'],
    [[{ when: {}, then: { target: `${server.url}/x` } }], '/rules/0/then/target'],
    [[{ when: {}, then: { target: `https://example.com/${'x'.repeat(2048)}` } }], '/rules/0/then/target'],
    [
      [
        { when: {}, then: ended },
        { when: {}, then: { target: 'javascript:alert(1)' } },
      ],
      '/rules/1/then/target',
    ],
  ] as [unknown, string][]) {
    for (const response of [
      await post(`${server.url}/api/links`, { target: OWN, rules }),
      await put(manage(server, link), { rules }),
    ]) {
      const { errors } = (await response.json()) as { errors?: { pointer: string }[] }
      assert.deepEqual([response.status, errors?.[0]?.pointer], [400, pointer], JSON.stringify(rules).slice(0, 200))
    }
  }
  assert.deepEqual((await json(fetch(manage(server, link))))['rules'], [])
})

test('the targets of rules are screened, when they are set and when the lists change', async (t) => {
  const server = await startServer(t)
  const { operations } = server.services.abuse
  const rules = [{ when: { os: ['iOS'] }, then: { target: 'https://bad.example/x' } }]
  const link = await create(server, { target: OWN, rules })
  await operations['block']?.({ subject: 'bad.example', reason: 'phishing' })
  await poll(async () => (await visit(link.short_url)).status === 410)
  for (const response of [
    await post(`${server.url}/api/links`, { target: OWN, rules }),
    await put(manage(server, await create(server, { target: OWN })), { rules }),
  ]) {
    const { code, errors } = (await response.json()) as { code: string; errors: { pointer: string }[] }
    assert.deepEqual([response.status, code, errors[0]?.pointer], [422, 'target_blocked', '/rules/0/then/target'])
  }
})

test('a preview lists where rules lead, without their conditions', async (t) => {
  const server = await startServer(t)
  const rules: Rule[] = [
    { when: { country: ['DE'] }, then: to('a') },
    { when: { after_scans: 7 }, then: ended },
    { when: {}, then: to('a') },
  ]
  const link = await create(server, { target: OWN, rules, utm: { utm_source: 'x' } })
  const page = await (await visit(`${link.short_url}+`)).text()
  assert.deepEqual(
    Array.from(page.matchAll(/<code>(.*?)<\/code>/g), ([, shown]) => shown?.replace(/<\/?strong>/g, '')),
    [`${OWN}?utm_source=x`, 'https://example.com/a?utm_source=x'],
  )
  assert.match(page, /may lead elsewhere, or have ended/)
  assert.doesNotMatch(page, /DE\b|Sold out/)
  const plain = await create(server, { target: OWN })
  assert.doesNotMatch(await (await visit(`${plain.short_url}+`)).text(), /rules/)
})

test('the example in the documentation works', async (t: TestContext) => {
  const server = await startServer(t, behindProxy, () => NOON)
  const guide = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')
  const [, body = ''] = /^## Rules$.*?-d '(.*?)'$/ms.exec(guide) ?? []
  const { rules } = JSON.parse(body) as { rules: Rule[] }
  const link = await create(server, { target: OWN })
  const response = await put(manage(server, link), { rules })
  assert.deepEqual([response.status, (await json(response))['rules']], [200, rules])
})
