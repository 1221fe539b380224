import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Scrypt } from '../src/links/password/password.ts'
import { suspend } from '../src/links/suspension.ts'
import { cheapScrypt, enter } from './support/passwords.ts'
import { poll } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { fileEndings } from './support/kinds.ts'
import {
  create,
  post,
  put,
  skipUnlessOneNode,
  startServer,
  visit,
  type Created,
  type TestServer,
} from './support/server.ts'

const TARGET = 'https://example.com/secret-menu'
const PASSWORD = 'correct horse battery'

async function start(t: TestContext, env: Record<string, string> = {}, now?: () => number): Promise<TestServer> {
  return startServer(t, env, now, { scrypt: cheapScrypt })
}

const manage = (server: TestServer, { token }: Created) => `${server.url}/api/manage/${token}`
const details = async (server: TestServer, link: Created) =>
  (await (await fetch(manage(server, link))).json()) as Record<string, unknown> & { totals: Record<string, unknown> }
const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

test('a visit shows a form, whose right answer is the redirect that the visit would have been, and is then a scan', async (t) => {
  const server = await start(t)
  const link = await create(server, { target: TARGET, utm: { utm_source: 'flyer' }, password: PASSWORD })
  assert.equal((await details(server, link))['has_password'], true)
  for (let again = 0; again < 3; again++) {
    const form = await visit(link.short_url)
    assert.deepEqual([form.status, form.headers.get('location')], [200, null])
    assert.equal(form.headers.get('cache-control'), 'private, no-store')
    assert.equal(form.headers.get('x-robots-tag'), 'noindex')
    assert.equal(form.headers.get('set-cookie'), null)
    const page = await form.text()
    assert.match(page, /<form method="post">/)
    assert.match(page, /<input type="password" name="password"/)
    assert.doesNotMatch(page, /example\.com|secret|<script/)
  }
  const wrong = await enter(link.short_url, 'wrong horse battery')
  assert.deepEqual([wrong.status, wrong.headers.get('location')], [403, null])
  assert.match(await wrong.text(), /This password is wrong\./)
  assert.equal((await details(server, link)).totals['scans'], 0)

  const right = await enter(link.short_url, PASSWORD)
  assert.deepEqual([right.status, await right.text()], [303, ''])
  assert.equal(right.headers.get('location'), `${TARGET}?utm_source=flyer`)
  assert.equal(right.headers.get('cache-control'), 'private, no-store')
  assert.equal(right.headers.get('set-cookie'), null)
  const { totals } = await details(server, link)
  assert.deepEqual([totals['scans'], totals['link'], totals['qr']], [1, 1, 0])
})

test('a scan of a QR code counts as one after the form, whose address is that of the image', async (t) => {
  const server = await start(t)
  const link = await create(server, { target: TARGET, alias: 'menu', password: PASSWORD })
  const addresses = [`${link.short_url}?qr=1`, `${server.url}/MENU.Q`, `${server.url}/menu.q`]
  for (const address of addresses) {
    const form = await visit(address)
    assert.equal(form.status, 200)
    // Without an action the form is sent to the address of the page.
    assert.doesNotMatch(await form.text(), /action=/)
    assert.equal((await enter(address, PASSWORD)).headers.get('location'), TARGET)
  }
  const { totals } = await details(server, link)
  assert.deepEqual([totals['scans'], totals['qr']], [3, 3])
})

test('nothing but the right password reveals what is behind it: not HEAD, the preview, the file or an Accept header', async (t) => {
  const server = await start(t)
  const links = [
    await create(server, { target: TARGET, password: PASSWORD }),
    await create(server, { kind: 'appstore', ios: TARGET, android: TARGET, password: PASSWORD }),
    await create(server, { kind: 'vcard', firstName: 'Secret', website: TARGET, password: PASSWORD }),
    await create(server, {
      kind: 'page',
      headline: 'Secret',
      links: [{ label: 'a', url: TARGET }],
      password: PASSWORD,
    }),
  ]
  const pages = new Set<string>()
  for (const { short_url: url } of links) {
    const requests = [
      visit(url),
      visit(`${url}.vcf`),
      visit(`${url}?qr=1`),
      visit(url, { accept: 'text/vcard' }),
      visit(url, { 'user-agent': 'Twitterbot/1.0' }),
      enter(url, PASSWORD, { 'sec-fetch-site': 'cross-site' }),
      enter(url, 'wrong horse battery'),
      fetch(url, { method: 'HEAD', redirect: 'manual' }),
      fetch(`${url}.vcf`, { method: 'HEAD' }),
      visit(`${url}+`),
    ]
    for (const [at, response] of (await Promise.all(requests)).entries()) {
      const body = await response.text()
      assert.doesNotMatch(
        `${body} ${JSON.stringify([...response.headers])}`,
        /ecret|example\.com|scrypt/,
        `request ${at}`,
      )
      assert.equal(response.status, at === 6 ? 403 : 200)
      if (at < 6) pages.add(body)
    }
    assert.match(await (await visit(`${url}+`)).text(), /protected by a password/)
  }
  assert.equal(pages.size, 1, 'the form is the same for every link')
})

test('a right password shows the page of a kind that has one, and downloads its file', async (t) => {
  const server = await start(t)
  const card = await create(server, { kind: 'vcard', firstName: 'Ada', password: PASSWORD })
  const shown = await enter(card.short_url, PASSWORD)
  assert.equal(shown.status, 200)
  assert.equal(shown.headers.get('cache-control'), 'private, no-store')
  const page = await shown.text()
  assert.match(page, /<h1 lang="" dir="auto">Ada<\/h1>/)
  assert.match(
    page,
    new RegExp(`<a class="button wide" href="/${card.code}.vcf" *>`),
    'the form must not be saved as the file',
  )
  const file = await enter(`${card.short_url}.vcf`, PASSWORD)
  assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'text/vcard; charset=utf-8'])
  assert.match(await file.text(), /^BEGIN:VCARD\r\n/)
  assert.equal((await enter(`${card.short_url}.vcf`, 'wrong horse')).status, 403)
  assert.match(await (await enter(card.short_url, PASSWORD, { accept: 'text/vcard' })).text(), /^BEGIN:VCARD/)
  // The download is no scan, as without a password.
  assert.equal((await details(server, card)).totals['scans'], 2)

  const leaflet = await create(server, { kind: 'page', headline: 'Hello', password: PASSWORD })
  assert.match(await (await enter(leaflet.short_url, PASSWORD)).text(), /<h1 lang="" dir="auto">Hello<\/h1>/)
  assert.equal((await enter(`${leaflet.short_url}.vcf`, PASSWORD)).status, 404)

  const app = await create(server, {
    kind: 'appstore',
    ios: TARGET,
    fallback: 'https://example.com/',
    password: PASSWORD,
  })
  const iphone = await enter(app.short_url, PASSWORD, { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)' })
  assert.equal(iphone.headers.get('location'), TARGET)
})

test('the form is in the language of the visitor, and in English for all others', async (t) => {
  const server = await start(t)
  const { short_url: url } = await create(server, { target: TARGET, password: PASSWORD })
  const page = async (language: string) => (await visit(url, { 'accept-language': language })).text()
  assert.match(await page('de-CH,de;q=0.9,en;q=0.8'), /<html lang="de">.*Weiter/s)
  assert.match(await page('gsw, ja;q=0.5, de;q=0.4'), /<html lang="ja"/)
  assert.match(await page('ar-EG'), /<html lang="ar" dir="rtl">/)
  for (const none of ['', '*', 'tlh', 'xx'.repeat(2000), 'de;q=0', '<script>', 'constructor', '__proto__'])
    assert.match(await page(none), /<html lang="en">/, none)
  const wrong = await enter(url, 'wrong horse', { 'accept-language': 'fr' })
  assert.match(await wrong.text(), /Ce mot de passe est incorrect\./)
})

test('programs get the problem of a wrong password, and the same redirect for a right one', async (t) => {
  const server = await start(t)
  const { short_url: url } = await create(server, { target: TARGET, password: PASSWORD })
  assert.deepEqual(await codeOf(await enter(url, 'wrong horse', { accept: '*/*' })), [403, 'wrong_password'])
  assert.equal((await enter(url, PASSWORD, { accept: '*/*' })).headers.get('location'), TARGET)
})

test('what is no form is refused, and what is no password is wrong', async (t) => {
  const server = await start(t)
  const { short_url: url } = await create(server, { target: TARGET, password: PASSWORD })
  const send = (body: string | undefined, type: string) =>
    fetch(url, {
      method: 'POST',
      ...(body !== undefined && { body }),
      redirect: 'manual',
      headers: { 'content-type': type },
    })
  const form = 'application/x-www-form-urlencoded'
  assert.equal((await send(JSON.stringify({ password: PASSWORD }), 'application/json')).status, 415)
  assert.equal((await send(`password=${'x'.repeat(9000)}`, form)).status, 413)
  const gzip = { 'content-type': form, 'content-encoding': 'gzip' }
  assert.equal((await fetch(url, { method: 'POST', body: 'x', headers: gzip })).status, 415)
  for (const body of [
    '',
    'password',
    'password=',
    'Password=x',
    `password=&password=${PASSWORD}`,
    'password=%00',
    '%',
    'password=%ff',
  ])
    assert.deepEqual(await codeOf(await send(body, form)), [403, 'wrong_password'], body)
  assert.deepEqual(await codeOf(await fetch(url, { method: 'POST', redirect: 'manual' })), [403, 'wrong_password'])
  const decomposed = await create(server, { target: TARGET, password: 'cr\u00e8me br\u00fbl\u00e9e' })
  assert.equal((await enter(decomposed.short_url, 'cre\u0300me bru\u0302le\u0301e')).status, 303)
  const longest = '\u{1f600}'.repeat(200)
  assert.equal(
    (await enter((await create(server, { target: TARGET, password: longest })).short_url, longest)).status,
    303,
  )
})

test('only protected links support POST: all other codes answer as before, and say so', async (t) => {
  const server = await start(t, { LIMIT_MISSES: '4' })
  const open = await create(server, { target: TARGET, alias: 'open' })
  const locked = await create(server, { target: TARGET, alias: 'locked', password: PASSWORD })
  const paused = await create(server, { target: TARGET, alias: 'paused', password: PASSWORD })
  await put(manage(server, paused), { active: false })
  const allowOf = async (method: string, path: string) => {
    const response = await fetch(server.url + path, { method, redirect: 'manual' })
    return [response.status, response.headers.get('allow')]
  }
  for (const { code } of [open, paused]) {
    for (const ending of ['', '.Q', '.q', ...fileEndings]) {
      assert.deepEqual(await allowOf('POST', `/${code}${ending}`), [405, 'GET, HEAD, OPTIONS'])
      assert.deepEqual(await allowOf('OPTIONS', `/${code}${ending}`), [204, 'GET, HEAD, OPTIONS'])
    }
  }
  assert.deepEqual(await allowOf('PUT', `/${locked.code}`), [405, 'GET, HEAD, OPTIONS, POST'])
  assert.deepEqual(await allowOf('OPTIONS', `/${locked.code}`), [204, 'GET, HEAD, OPTIONS, POST'])
  assert.deepEqual(await allowOf('POST', `/${locked.code}+`), [405, 'GET, HEAD, OPTIONS'])
  assert.deepEqual(await codeOf(await enter(`${server.url}/${paused.code}`, PASSWORD, { accept: '*/*' })), [
    405,
    'method_not_allowed',
  ])
  assert.equal((await visit(paused.short_url)).status, 404)
  // Whoever guesses codes has the same quota with any method; the visit above was one of four.
  const guesses = ['POST', 'OPTIONS', 'PUT', 'POST', 'OPTIONS'].map((method, at) => allowOf(method, `/unknown${at}`))
  const statuses = (await Promise.all(guesses)).map(([status]) => status)
  assert.deepEqual(statuses.map((status) => status === 429).sort(), [false, false, false, true, true])
})

test('a password can be set, replaced and removed, and each visit after the change sees it', async (t) => {
  const server = await start(t)
  const link = await create(server, { target: TARGET })
  assert.equal((await details(server, link))['has_password'], false)
  const change = async (body: object) => {
    const response = await put(manage(server, link), body)
    assert.equal(response.status, 200)
    const text = await response.text()
    assert.doesNotMatch(text, /horse|scrypt/)
    return [(JSON.parse(text) as { has_password: boolean }).has_password, response.headers.get('etag')]
  }
  const visits = async () => [
    ...new Set((await Promise.all([1, 2, 3].map(() => visit(link.short_url)))).map(({ status }) => status)),
  ]
  assert.deepEqual(await visits(), [302])
  assert.deepEqual(await change({ password: 'first horse' }), [true, '"2"'])
  assert.deepEqual(await visits(), [200])
  assert.deepEqual(await change({ title: 'Kept' }), [true, '"3"'])
  assert.deepEqual(await visits(), [200])
  assert.deepEqual(await change({ password: 'second horse' }), [true, '"4"'])
  assert.equal((await enter(link.short_url, 'first horse')).status, 403)
  assert.equal((await enter(link.short_url, 'second horse')).status, 303)
  assert.deepEqual(await change({ password: null, target: 'https://example.com/new' }), [false, '"5"'])
  assert.deepEqual(await visits(), [302])
  assert.deepEqual(await change({ password: null }), [false, '"5"'])
  assert.equal((await put(manage(server, link), { password: 'x horse' }, { 'if-match': '"4"' })).status, 412)
  assert.equal((await enter(link.short_url, 'second horse')).status, 405)
  assert.equal((await fetch(manage(server, link), { method: 'DELETE' })).status, 200)
  assert.deepEqual(await visits(), [410])
})

test('an answer that was right when it was sent opens the link as it is when it has been checked', async (t) => {
  const waiting: (() => void)[] = []
  let isHeld = false
  const scrypt: Scrypt = async (password, salt, cost) => {
    if (isHeld && password === PASSWORD) await new Promise<void>((resolve) => waiting.push(resolve))
    return cheapScrypt(password, salt, cost)
  }
  const server = await startServer(t, {}, undefined, { scrypt })
  const link = await create(server, { target: TARGET, password: PASSWORD })
  const whileChecked = async (body: object) => {
    isHeld = true
    const answer = enter(link.short_url, PASSWORD)
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    isHeld = false
    const changed = put(manage(server, link), body)
    // A new password is hashed once the held one is.
    if (!('password' in body)) await changed
    waiting.shift()?.()
    await changed
    return answer
  }
  const moved = await whileChecked({ target: 'https://example.com/moved' })
  assert.equal(moved.headers.get('location'), 'https://example.com/moved')
  assert.equal((await whileChecked({ active: false })).status, 404)
})

test('an invalid password is refused with its field, before it is hashed', async (t) => {
  const scrypt: Scrypt = () => assert.fail('it was hashed')
  const server = await startServer(t, {}, undefined, { scrypt })
  const link = await create(server, { target: TARGET })
  const refusals = [
    { password: 'x'.repeat(7) },
    { password: 'x'.repeat(201) },
    { password: '\u{1f600}'.repeat(7) },
    { password: 'with\nline end' },
    { password: 'with \u0000 in it' },
    { password: 'with \ud800 in it' },
    { password: 12345678 },
    { password: ['long enough'] },
    { password: { a: 'long enough' } },
    { password: true },
  ]
  for (const body of refusals) {
    for (const response of [
      await post(`${server.url}/api/links`, { target: TARGET, ...body }),
      await put(manage(server, link), body),
    ]) {
      const problem = (await response.json()) as { status: number; errors: { pointer: string }[] }
      assert.deepEqual([problem.status, problem.errors.map(({ pointer }) => pointer)], [400, ['/password']])
    }
  }
  assert.equal((await post(`${server.url}/api/links`, { target: TARGET, password: null })).status, 400)
  // What else is wrong is found first.
  const valid = { password: PASSWORD }
  assert.equal((await post(`${server.url}/api/links`, { target: 'http://localhost/', ...valid })).status, 400)
  assert.equal((await put(manage(server, link), { target: 'http://localhost/', ...valid })).status, 400)
  assert.equal((await put(manage(server, link), valid, { 'if-match': '"7"' })).status, 412)
})

test('a bulk request cannot set a password: each such row says so', async (t) => {
  const server = await start(t)
  const rows = [
    { target: TARGET, alias: 'locked', password: PASSWORD },
    { target: TARGET },
    { target: TARGET, password: 'short' },
  ]
  const response = await post(`${server.url}/api/bulk`, rows)
  assert.equal(response.status, 201)
  const { created, results } = (await response.json()) as {
    created: number
    results: { error?: { errors: unknown } }[]
  }
  assert.equal(created, 1)
  const detail = 'cannot be set in a bulk request; create this link by itself, or set it by a change'
  assert.deepEqual(results[0]?.error?.errors, [{ pointer: '/password', detail }])
  assert.equal((await visit(`${server.url}/locked`)).status, 404)
})

test('a change of many links neither sets nor removes a password', async (t) => {
  const server = await start(t)
  const link = await create(server, { target: TARGET, password: PASSWORD })
  for (const password of ['another horse', null]) {
    const changes = [{ token: link.token, password }, { token: 'A'.repeat(43) }]
    const response = await post(`${server.url}/api/manage`, { changes })
    const { results } = (await response.json()) as { results: { error?: { errors: unknown } }[] }
    assert.deepEqual(
      [response.status, results[0]?.error?.errors],
      [400, [{ pointer: '/password', detail: 'can only be changed by PUT' }]],
    )
  }
  const moved = await post(`${server.url}/api/manage`, { changes: [{ token: link.token, title: 'Kept' }] })
  assert.equal(moved.status, 200)
  assert.equal((await enter(link.short_url, PASSWORD)).status, 303)
})

test('a retry with the same Idempotency-Key gets the first response and hashes nothing; another password is another body', async (t) => {
  let hashed = 0
  const server = await startServer(t, {}, undefined, { scrypt: (...all) => (hashed++, cheapScrypt(...all)) })
  const key = { 'idempotency-key': 'a key of many characters' }
  const body = { target: TARGET, password: PASSWORD }
  const send = (body: object) => post(`${server.url}/api/links`, body, key)
  const [first, retry] = [await send(body), await send(body)]
  const created = (await first.json()) as Created
  assert.deepEqual([first.status, retry.status, await retry.json()], [201, 201, created])
  assert.equal(hashed, 1)
  assert.deepEqual(await codeOf(await send({ ...body, password: 'another horse' })), [422, 'idempotency_key_reused'])
  assert.equal((await enter(created.short_url, PASSWORD)).status, 303)
})

test('the store holds a hash and nothing else that depends on the password, and no log line holds either', async (t) => {
  const server = await start(t)
  const key = { 'idempotency-key': 'a key of many characters' }
  const body = { target: TARGET, password: PASSWORD }
  await post(`${server.url}/api/links`, body, key)
  const { read } = server.services.db
  const [link] = await read.selectFrom('links').selectAll().execute()
  assert.match(link?.password ?? '', /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  // The same request under another key has another hash: who reads the store cannot try passwords on it.
  await post(`${server.url}/api/links`, body, { 'idempotency-key': 'another key of many characters' })
  const rows = await read.selectFrom('idempotency_keys').select('request_hash').execute()
  assert.equal(new Set(rows.map((row) => row.request_hash)).size, 2)
  assert.doesNotMatch(JSON.stringify(server.logged), /horse|scrypt/)
})

// Several nodes count in Redis, which has a clock of its own: test/shared-limits.test.ts.
test(
  'one client may be wrong so often in an hour, for all links; others, and right passwords, are not affected',
  { skip: skipUnlessOneNode },
  async (t) => {
    let now = Date.UTC(2026, 10, 21)
    const env = { LIMIT_GUESSES: '5', TRUST_PROXY: '127.0.0.1' }
    const server = await start(t, env, () => now)
    const links = [
      await create(server, { target: TARGET, password: PASSWORD }),
      await create(server, { target: TARGET, password: PASSWORD }),
    ]
    const tryAs = (client: string, password: string, at = 0) =>
      enter(links[at]?.short_url ?? '', password, { 'x-forwarded-for': client, 'accept-language': 'de' })
    // More at once than it may: each is charged before it is checked.
    const guesses = await Promise.all(
      Array.from({ length: 8 }, (_, at) => tryAs('8.8.8.8', `wrong horse ${at}`, at % 2)),
    )
    const counts = Map.groupBy(guesses, ({ status }) => status)
    assert.deepEqual([counts.get(403)?.length, counts.get(429)?.length], [5, 3])
    const refused = await tryAs('8.8.8.8', PASSWORD)
    assert.deepEqual(
      [refused.status, refused.headers.get('location'), refused.headers.get('retry-after')],
      [429, null, '3600'],
    )
    assert.match(await refused.text(), /Zu viele falsche Passwörter\./)
    for (let again = 0; again < 20; again++) assert.equal((await tryAs('8.8.4.4', PASSWORD)).status, 303)
    now += 3_600_000
    assert.equal((await tryAs('8.8.8.8', PASSWORD)).status, 303)
  },
)

test('many clients together guess a link slowly, and who knows its password still gets in', async (t) => {
  const env = { LIMIT_GUESSES: '20', LIMIT_LINK_GUESSES: '30', TRUST_PROXY: '127.0.0.1' }
  const server = await start(t, env)
  const link = await create(server, { target: TARGET, password: PASSWORD })
  const tryAs = (client: string, password: string) => enter(link.short_url, password, { 'x-forwarded-for': client })
  let checked = 0
  for (let client = 0; client < 20; client++) {
    for (let at = 0; at < 20; at++)
      checked += Number((await tryAs(`8.8.${client}.8`, `wrong horse ${at}`)).status === 403)
  }
  // The first two use up the link's quota; of the others, each has three tries.
  assert.equal(checked, 30 + 18 * 3)
  assert.equal((await tryAs('8.8.4.4', PASSWORD)).status, 303)
  assert.equal((await tryAs('8.8.4.4', 'wrong horse')).status, 403)
  assert.equal((await tryAs('8.8.4.4', PASSWORD)).status, 303)
  const other = await create(server, { target: TARGET, password: PASSWORD })
  assert.equal((await enter(other.short_url, 'wrong horse', { 'x-forwarded-for': '8.8.3.8' })).status, 403)
})

// Each node has a queue of its own.
test(
  'when too many passwords are being checked, others are refused at once and charged nothing',
  { skip: skipUnlessOneNode },
  async (t) => {
    const held: (() => void)[] = []
    let isHeld = false
    const scrypt: Scrypt = async (...all) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
      return cheapScrypt(...all)
    }
    const server = await startServer(t, { LIMIT_GUESSES: '28', LIMIT_LINKS: '20' }, undefined, { scrypt })
    const link = await create(server, { target: TARGET, password: PASSWORD })
    isHeld = true
    // One is checked and the queue is full, also for those of the same client; three are refused meanwhile.
    const refused: Response[] = []
    const answers = Array.from({ length: 20 }, async () => {
      const response = await enter(link.short_url, 'wrong horse')
      if (isHeld) refused.push(response)
      return response.status
    })
    await poll(() => refused.length === 3)
    assert.deepEqual(
      refused.map(({ status }) => status),
      [503, 503, 503],
    )
    assert.equal(refused[0]?.headers.get('retry-after'), '5')
    assert.match((await refused[0]?.text()) ?? '', /Please try again\./)
    // Creations and changes wait in the same queue, and are not charged either.
    const creation = await post(`${server.url}/api/links`, { target: TARGET, password: PASSWORD })
    assert.deepEqual([creation.status, creation.headers.get('ratelimit')?.split(';')[1]], [503, 'r=19'])
    assert.equal((await put(manage(server, link), { password: PASSWORD })).status, 503)
    assert.equal((await visit(link.short_url)).status, 200)
    isHeld = false
    while (held.length > 0) {
      held.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.deepEqual((await Promise.all(answers)).sort(), [...Array(17).fill(403), ...Array(3).fill(503)])
    // Seventeen are used up; eleven remain.
    const more = await Promise.all(Array.from({ length: 8 }, () => enter(link.short_url, 'wrong horse')))
    assert.deepEqual(new Set(more.map(({ status }) => status)), new Set([403]))
    for (let at = 0; at < 3; at++) assert.equal((await enter(link.short_url, 'wrong horse')).status, 403)
    assert.equal((await enter(link.short_url, 'wrong horse')).status, 429)
  },
)

test('the QR images of a link do not depend on its password', async (t) => {
  const server = await start(t)
  const link = await create(server, { target: TARGET, alias: 'menu', password: PASSWORD })
  const before = await (await fetch(link.qr_svg)).text()
  await put(manage(server, link), { password: null })
  assert.equal(await (await fetch(link.qr_svg)).text(), before)
})

test('a suspended link says so, and asks for no password', async (t) => {
  const server = await start(t)
  const link = await create(server, { target: TARGET, password: PASSWORD })
  assert.equal((await visit(link.short_url)).status, 200)
  const found = await server.services.links.findByToken(link.token)
  const suspension = { at: Date.UTC(2026, 10, 21), reason: 'it harms', source: 'legal', expression: null } as const
  assert.equal((await suspend(server.services.db.write, [found], suspension)).size, 1)
  server.services.visits.invalidate(link.code)
  for (const address of ['', ...fileEndings, '+', '/qr.png'])
    assert.deepEqual(await codeOf(await visit(link.short_url + address)), [451, 'code_removed_by_law'])
  assert.equal((await enter(link.short_url, PASSWORD)).status, 405)
  assert.deepEqual(await codeOf(await put(manage(server, link), { password: null })), [409, 'link_removed'])
  assert.deepEqual(await codeOf(await put(manage(server, link), { password: PASSWORD })), [409, 'link_removed'])
})

test('the password of a link goes with it', async (t) => {
  const server = await start(t)
  const link = await create(server, { target: TARGET, password: PASSWORD })
  assert.equal((await fetch(manage(server, link), { method: 'DELETE' })).status, 200)
  assert.equal((await enter(link.short_url, PASSWORD)).status, 405)
  assert.equal((await visit(link.short_url)).status, 410)
  assert.deepEqual(await server.services.db.read.selectFrom('links').selectAll().execute(), [])
})

test('the examples of the guide', async (t) => {
  if (!requireProgram(t, 'curl', 'curl')) return
  const server = await start(t)
  const link = await create(server, { target: 'https://example.com/menu', alias: 'menu', utm: { utm_source: 'flyer' } })
  const guide = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')
  const [, commands = '', shown] = /^## Password\n+```sh\n(.*?)^```$.*?^```\n(.*?)^```$/ms.exec(guide) ?? []
  const run = async (command: string) => {
    const shell = command.replace('curl', 'curl -s').replace('localhost:3000', '$URL')
    const env = { ...process.env, URL: server.url, T: link.token }
    return (await promisify(execFile)('sh', ['-c', shell], { env })).stdout
  }
  const [set = '', answer = ''] = commands.split('\n')
  assert.partialDeepStrictEqual(JSON.parse(await run(set)), { has_password: true })
  assert.equal(await run(answer), shown)
})
