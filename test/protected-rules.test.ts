import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Rule } from '../src/links/rules/rule.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { cheapScrypt, enter } from './support/passwords.ts'
import { exitOf, start as startProgram } from './support/program.ts'
import {
  create,
  put,
  skipUnlessOneNode,
  startServer,
  visit,
  type Created,
  type TestServer,
  manage,
} from './support/server.ts'

const OWN = 'https://example.com/secret-own'
const PASSWORD = 'correct horse battery'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0'
const IPHONE = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148' }
const PROGRAM = { accept: '*/*' }

const ios: Rule = { when: { os: ['iOS'] }, then: { target: 'https://example.com/secret-ios' } }
const ended: Rule['then'] = { ended: 'Secret sale: over & <b>out</b>' }

/** Everything that has a response of its own, with what shows it. */
const kinds: { body: object; shows: RegExp }[] = [
  { body: { kind: 'page', headline: 'Secret page' }, shows: /<h1 lang="" dir="auto">Secret page<\/h1>/ },
  { body: { kind: 'vcard', firstName: 'Secret' }, shows: /<h1 lang="" dir="auto">Secret<\/h1>/ },
]

const start = (t: TestContext, env: Record<string, string> = {}) =>
  startServer(t, env, undefined, { scrypt: cheapScrypt })

const protect = (server: Pick<TestServer, 'url'>, rules: Rule[], body: object = { target: OWN }) =>
  create(server, { ...body, rules, password: PASSWORD, utm: { utm_source: 'flyer' } })

/** Sends the form with an agent's User-Agent. */
const open = (url: string, headers: Record<string, string> = {}, password = PASSWORD) =>
  enter(url, password, { 'user-agent': WINDOWS, ...headers })

/** The scans of each answer. */
async function answersOf(server: Pick<TestServer, 'url'>, link: Created): Promise<Record<string, number>> {
  const response = await fetch(`${manage(server, link)}/stats?days=7`)
  const { breakdowns } = (await response.json()) as {
    breakdowns: { answer: { value: string; scans: number }[] }
  }
  return Object.fromEntries(breakdowns.answer.map(({ value, scans }) => [value, scans]))
}

const leads = ({ status, headers }: Response) => [status, headers.get('location')]

test('after the right password the rules decide, with the UTM parameters of the link, and the scan has their answer', async (t) => {
  const server = await start(t)
  const scanned: Rule = { when: { source: 'qr' }, then: { target: 'https://example.com/secret-qr?a=b' } }
  const link = await protect(server, [ios, scanned])
  for (const ending of ['', '/', '?qr=1', '.Q']) {
    const url = `${server.url}/${link.code}${ending}`
    const isQr = ending === '?qr=1' || ending === '.Q'
    const iphone = await open(url, IPHONE)
    assert.deepEqual(leads(iphone), [303, 'https://example.com/secret-ios?utm_source=flyer'], ending)
    assert.equal(iphone.headers.get('cache-control'), 'private, no-store')
    const expected = isQr ? 'https://example.com/secret-qr?a=b&utm_source=flyer' : `${OWN}?utm_source=flyer`
    assert.deepEqual(leads(await open(url)), [303, expected], ending)
    assert.deepEqual(leads(await open(url, IPHONE, 'wrong horse battery')), [403, null])
  }
  assert.deepEqual(await answersOf(server, link), { 1: 4, 2: 2, link: 2 })
})

test('the next right password sees a change of the rules', async (t) => {
  const server = await start(t)
  const link = await protect(server, [ios])
  const change = async (body: object) => assert.equal((await put(manage(server, link), body)).status, 200)
  assert.deepEqual(leads(await open(link.short_url)), [303, `${OWN}?utm_source=flyer`])
  await change({ rules: [{ when: {}, then: { target: 'https://example.com/all' } }], utm: {} })
  assert.deepEqual(leads(await open(link.short_url)), [303, 'https://example.com/all'])
  await change({ password: null })
  assert.deepEqual(leads(await visit(link.short_url)), [302, 'https://example.com/all'])
  assert.equal((await open(link.short_url)).status, 405)
  await change({ password: 'another horse', rules: null })
  assert.deepEqual(leads(await visit(link.short_url)), [200, null])
  assert.deepEqual(leads(await open(link.short_url, {}, 'another horse')), [303, OWN])
  assert.deepEqual(await answersOf(server, link), { link: 2, 1: 2 })
})

test('a protected link that has ended says so only after the right password, on a page and to programs', async (t) => {
  const server = await start(t)
  for (const { body } of [{ body: { target: OWN } }, ...kinds]) {
    const link = await protect(server, [{ when: {}, then: ended }], body)
    const page = await open(link.short_url)
    assert.deepEqual([page.status, page.headers.get('cache-control')], [410, 'private, no-store'])
    assert.ok((await page.text()).includes('Secret sale: over &amp; &lt;b&gt;out&lt;/b&gt;'))
    const problem = await open(link.short_url, PROGRAM)
    assert.equal(problem.headers.get('content-type'), 'application/problem+json; charset=utf-8')
    const { code, detail } = (await problem.json()) as Record<string, string>
    assert.deepEqual([problem.status, code, detail], [410, 'link_ended', ended.ended])
    assert.deepEqual(await answersOf(server, link), { 1: 2 })
  }
})

test('the page of a protected link is shown when no rule is met, and its file follows the rules without a scan', async (t) => {
  const server = await start(t)
  for (const { body, shows } of kinds) {
    const link = await protect(server, [ios], body)
    const shown = await open(link.short_url)
    assert.equal(shown.status, 200)
    assert.match(await shown.text(), shows)
    assert.deepEqual(leads(await open(link.short_url, IPHONE)), [
      303,
      'https://example.com/secret-ios?utm_source=flyer',
    ])
    assert.deepEqual(await answersOf(server, link), { link: 1, 1: 1 })
  }
  const card = await protect(server, [ios], { kind: 'vcard', firstName: 'Secret' })
  const file = `${card.short_url}.vcf`
  assert.match(await (await open(file)).text(), /^BEGIN:VCARD/)
  assert.deepEqual(leads(await open(file, IPHONE)), [303, 'https://example.com/secret-ios?utm_source=flyer'])
  await put(manage(server, card), { rules: [{ when: {}, then: ended }] })
  const problem = await open(file, PROGRAM)
  assert.deepEqual([problem.status, ((await problem.json()) as { detail: string }).detail], [410, ended.ended])
  const page = await open(file)
  assert.equal(page.status, 410)
  assert.match(await page.text(), /Secret sale: over/)
  assert.deepEqual(await answersOf(server, card), {})
})

test('without the password nothing reveals the rules: not GET, HEAD, the preview, the file or a wrong password', async (t) => {
  const server = await start(t)
  const all: Rule = { when: { country: ['DE'], after_scans: 3 }, then: { target: 'https://example.com/secret-all' } }
  const lists: Rule[][] = [[ios, all], [{ when: {}, then: ended }], [{ when: {}, then: { target: OWN } }]]
  const forms = new Set<string>()
  for (const { body } of [{ body: { target: OWN } }, ...kinds]) {
    for (const rules of lists) {
      const link = await protect(server, rules, body)
      const url = link.short_url
      const responses = await Promise.all([
        visit(url, IPHONE),
        visit(`${url}?qr=1`),
        visit(`${url}.vcf`),
        visit(url, { accept: 'text/vcard' }),
        open(url, { 'sec-fetch-site': 'cross-site' }),
        fetch(url, { method: 'HEAD', redirect: 'manual', headers: IPHONE }),
        fetch(`${url}.vcf`, { method: 'HEAD', redirect: 'manual' }),
        visit(`${url}+`),
        open(url, {}, 'wrong horse battery'),
        open(`${url}.vcf`, {}, 'wrong horse battery'),
        open(url, PROGRAM, 'wrong horse battery'),
      ])
      for (const [at, response] of responses.entries()) {
        const text = `${await response.text()} ${JSON.stringify([...response.headers])}`
        assert.doesNotMatch(text, /ecret|example\.com|rule|ended|may lead elsewhere/, `request ${at}`)
        assert.equal(response.status, at > 7 ? 403 : 200, `request ${at}`)
      }
      for (const plain of [visit(url), visit(`${url}.vcf`)]) forms.add(await (await plain).text())
      assert.deepEqual(await answersOf(server, link), {})
    }
  }
  assert.equal(forms.size, 1, 'the form is the same whatever a link leads to')
})

// Several nodes count each other's scans later: docs/scale.md says how much.
test(
  'of parallel right passwords at a limit of scans exactly the right number open the link',
  { skip: skipUnlessOneNode },
  async (t) => {
    const server = await start(t)
    const limit: Rule[] = [{ when: { after_scans: 4 }, then: ended }]
    for (const { body, opened } of [
      { body: { target: OWN }, opened: 303 },
      ...kinds.map((kind) => ({ ...kind, opened: 200 })),
    ]) {
      const link = await protect(server, limit, body)
      const attempt = (at: number) => open(link.short_url, {}, at % 4 === 3 ? 'wrong horse battery' : PASSWORD)
      // At most 8 passwords of one client wait to be checked.
      for (const passed of [4, 0, 0]) {
        const responses = await Promise.all(Array.from({ length: 8 }, (_, at) => attempt(at)))
        const count = (wanted: number) => responses.filter(({ status }) => status === wanted).length
        assert.deepEqual([count(opened), count(410), count(403)], [passed, 6 - passed, 2])
      }
      // Neither a visit that gets the form nor HEAD is a scan.
      assert.equal((await visit(link.short_url)).status, 200)
      assert.equal((await fetch(link.short_url, { method: 'HEAD' })).status, 200)
      assert.deepEqual(await answersOf(server, link), { link: 4, 1: 14 })
    }
  },
)

test('a scan that a rule has answered after the right password is recorded before the answer, also through kill -9', async (t) => {
  const dataDir = temporaryFolder(t)
  const first = await startProgram(t, dataDir)
  const link = await protect(first, [ios, { when: { after_scans: 2 }, then: ended }])
  const statuses = []
  for (const headers of [IPHONE, {}, {}]) statuses.push((await open(`${first.url}/${link.code}`, headers)).status)
  assert.deepEqual(statuses, [303, 303, 410])
  first.process.kill('SIGKILL')
  await exitOf(first)
  const second = await startProgram(t, dataDir)
  assert.deepEqual(await answersOf(second, link), { link: 1, 1: 1, 2: 1 })
  assert.equal((await open(`${second.url}/${link.code}`)).status, 410)
})
