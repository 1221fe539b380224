import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { createDatabase } from './support/drivers.ts'
import { mmdb } from './support/mmdb.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { oneOf, seededRandom, type Random } from './support/random.ts'
import { create, post, startServer, visit, type Created, type TestServer } from './support/server.ts'

const DAY = 86_400_000
const FROM = Date.UTC(2025, 9, 20)
const TO = Date.UTC(2026, 10, 21, 22, 40)
const ROUNDS = 4
const VISITS = 120
const QUESTIONS = 14
const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata', 'Pacific/Kiritimati', 'Australia/Lord_Howe']

const agents = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'curl/8.11.0',
]
/** One name in two countries, and one with a comma. */
const places = [
  ['5.1.0.0/16', { country_code: 'DE', city: 'Berlin' }],
  ['5.2.0.0/16', { country_code: 'US', city: 'Berlin' }],
  ['5.3.0.0/16', { country_code: 'CH', city: 'Zürich' }],
  ['5.4.0.0/16', { country_code: 'US', city: 'Washington, D.C.' }],
  ['5.5.0.0/16', { country_code: 'FR' }],
] as [string, Record<string, string>][]

const stores: { name: string; env: (t: TestContext) => Promise<Record<string, string> | undefined> }[] = [
  { name: 'SQLite', env: async () => ({}) },
  {
    name: 'PostgreSQL',
    env: async (t) =>
      requireProgram(t, 'initdb', 'postgresql') ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined,
  },
]

type Question = Record<string, string | number | boolean | string[]>

/** A service with a clock and places. */
async function start(t: TestContext, env: Record<string, string>) {
  const file = join(temporaryFolder(t), 'places.mmdb')
  writeFileSync(file, mmdb(places))
  const clock = { now: FROM }
  const server = await startServer(t, { ...env, GEOIP_DB: file, TRUST_PROXY: '127.0.0.1' }, () => clock.now)
  return { server, clock }
}

function createLink(server: TestServer): Promise<Created> {
  return create(server, {
    target: 'https://example.com/',
    placements: [{ id: 'door' }, { id: 'Window' }],
    rules: [{ when: { device: ['mobile'] }, then: { target: 'https://example.com/phone' } }],
  })
}

function visitAtRandom(random: Random, { short_url: url }: Created): Promise<Response> {
  const network = oneOf(random, ['5.1.0', '5.1.7', '5.2.0', '5.3.0', '5.4.0', '5.5.0', '9.9.9'])
  const referer = oneOf(random, ['', 'https://a.example/x', 'https://b.example/', 'https://ärzte.example/'])
  return visit(`${url}${oneOf(random, ['', '', '?qr=1', '?qr=door', '?qr=window', '?qr=nowhere'])}`, {
    'user-agent': oneOf(random, agents),
    'x-forwarded-for': `${network}.${1 + Math.floor(random() * 3)}`,
    ...(referer !== '' && { referer: encodeURI(referer) }),
    ...(random() < 0.1 && { dnt: '1' }),
  })
}

const values: Record<string, string[]> = {
  source: ['qr', 'link'],
  device: ['mobile', 'desktop', '~'],
  os: ['iOS', 'Android', 'Linux', '~'],
  browser: ['Firefox', 'Safari', 'Chrome', '~', 'Netscape'],
  country: ['DE', 'US', 'CH', '~'],
  city: ['Berlin', 'Zürich', 'Washington, D.C.', '~'],
  referrer: ['direct', 'a.example', 'xn--rzte-moa.example', '~'],
  answer: ['link', '1', '2'],
  placement: ['door', 'Window', '~'],
}

function randomQuestion(random: Random, now: number): Question {
  const last = new Date(FROM + random() * (now - FROM - DAY))
  const length = oneOf(random, [1, 1, 2, 7, 30, 100, 366])
  const first = new Date(last.getTime() - (length - 1) * DAY)
  const day = (at: Date) => at.toISOString().slice(0, 10)
  const chosen = Object.entries(values).filter(() => random() < 0.25)
  const filters = chosen.map(([name, known]) => [name, known.filter(() => random() < 0.6)] as const)
  const maybe = (values: Question) => (random() < 0.4 ? values : {})
  return {
    ...(random() < 0.5 ? { days: Math.min(length, 365) } : { from: day(first), to: day(last) }),
    ...maybe({ tz: oneOf(random, zones) }),
    ...maybe({ audience: oneOf(random, ['human', 'bot']) }),
    ...maybe({ interval: length > 30 ? oneOf(random, ['week', 'month']) : oneOf(random, ['hour', 'week', 'month']) }),
    ...maybe({ previous: true }),
    ...maybe({ compare: oneOf(random, ['previous', 'year']) }),
    ...maybe({ heat: true }),
    ...maybe({ limit: 1000 }),
    ...Object.fromEntries(filters.filter(([, some]) => some.length > 0)),
  }
}

async function ask(server: TestServer, { token }: Created, question: Question): Promise<Record<string, unknown>> {
  const pairs = Object.entries(question).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]))
  const query = new URLSearchParams(pairs).toString()
  const response = await fetch(`${server.url}/api/manage/${token}/stats?${query}`)
  assert.equal(response.status, 200, query)
  const { code: _, ...stats } = (await response.json()) as Record<string, unknown>
  return stats
}

/** What another program counts in the export. */
async function recount(scans: string, now: number, questions: Question[]): Promise<Record<string, unknown>[]> {
  const counting = spawn('python3', [join(import.meta.dirname, 'support', 'recount.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  counting.stdin.end(JSON.stringify({ scans, now, questions }))
  return JSON.parse(await text(counting.stdout)) as Record<string, unknown>[]
}

/** Another link is visited, asked about and deleted meanwhile. */
async function disturb(server: TestServer, random: Random): Promise<void> {
  const link = await createLink(server)
  for (let at = 0; at < 20; at++) {
    await visitAtRandom(random, link)
    await ask(server, link, { device: ['mobile'] })
  }
  const manage = `${server.url}/api/manage/${link.token}`
  assert.equal((await fetch(manage, { method: 'DELETE' })).status, 200)
  assert.equal((await fetch(`${manage}/stats?device=mobile`)).status, 404)
}

for (const { name, env } of stores) {
  test(`every number of the statistics is what another program counts in scans.ndjson, while scans are folded and links deleted: ${name}`, async (t) => {
    if (!requireProgram(t, 'python3', 'python3')) return
    const more = await env(t)
    if (more === undefined) return
    const random = seededRandom(t)
    const { server, clock } = await start(t, more)
    const link = await createLink(server)
    for (let round = 1; round <= ROUNDS; round++) {
      const until = FROM + ((TO - FROM) * round) / ROUNDS
      while (clock.now < until) {
        await visitAtRandom(random, link)
        clock.now += Math.floor((random() * 2 * (TO - FROM)) / ROUNDS / VISITS)
      }
      const exported = await fetch(`${server.url}/api/manage/${link.token}/scans.ndjson`)
      assert.equal(exported.headers.get('quirl-raw-missing'), '0')
      const scans = await exported.text()
      const questions = Array.from({ length: QUESTIONS }, () => randomQuestion(random, clock.now))
      const [expected, answers] = await Promise.all([
        recount(scans, clock.now, questions),
        Promise.all(questions.map((question) => ask(server, link, question))),
        disturb(server, random),
      ])
      for (const [at, question] of questions.entries())
        assert.deepEqual(answers[at], expected[at], JSON.stringify({ question, now: new Date(clock.now) }))
      const [filtered] = questions
      const body = { ...filtered, tokens: [link.token] }
      for (const one of ['previous', 'heat', 'limit']) delete (body as Question)[one]
      const many = (await (await post(`${server.url}/api/stats`, body)).json()) as { total: Record<string, unknown> }
      const { totals, series, unique_visitors: visitors } = expected[0] ?? {}
      const { links: _, compared: __, ...sums } = many.total
      assert.deepEqual(sums, { totals, series, unique_visitors: visitors })
    }
  })
}
