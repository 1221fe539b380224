import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { countsDrivers } from './support/counters.ts'
import { create, post, put, startServer, visit, type TestServer } from './support/server.ts'

const EXAMPLE = { target: 'https://example.com/' }
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const from = (address: string) => ({ 'x-forwarded-for': address })
const createFrom = (server: TestServer, address: string, body: unknown = EXAMPLE, more: Record<string, string> = {}) =>
  post(`${server.url}/api/links`, body, { ...from(address), ...more })

/** Counts the statuses of requests that several clients make concurrently. */
async function statuses(
  requests: number,
  clients: number,
  send: () => Promise<Response>,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  let left = requests
  const lane = async () => {
    while (left-- > 0) {
      const response = await send()
      await response.arrayBuffer()
      counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: clients }, lane))
  return counts
}

for (const { name, open, isExact } of countsDrivers)
  describe(name, () => {
    async function startCounting(t: TestContext, env: Record<string, string>) {
      const counts = await open(t)
      if (counts === undefined) return undefined
      return { server: await startServer(t, { ...counts.env, ...env }, counts.now), advance: counts.advance }
    }

    /** Asserts what a header has of the seconds until the window ends. */
    function assertSeconds(header: string | null, before: string, seconds: number) {
      const least = isExact ? seconds : seconds - 60
      const value = Number(header?.slice(before.length))
      assert.ok(header?.startsWith(before) && value >= least && value <= seconds, String(header))
    }

    test('64 concurrent clients behind one address create exactly 60 links an hour', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '60' })
      if (started === undefined) return
      const { server, advance } = started
      assert.deepEqual(
        await statuses(200, 64, () => post(`${server.url}/api/links`, EXAMPLE)),
        new Map([
          [201, 60],
          [429, 140],
        ]),
      )
      await advance(HOUR - MINUTE)
      assert.equal((await post(`${server.url}/api/links`, EXAMPLE)).status, 429)
      await advance(MINUTE)
      assert.equal((await post(`${server.url}/api/links`, EXAMPLE)).status, 201)
    })

    test('the clients of a network have 16 times the quota of one together, and those of another are not affected', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '2', TRUST_PROXY: '127.0.0.1' })
      if (started === undefined) return
      const { server } = started
      let client = 0
      const networks = { '/48': () => `2a00:1:2:${(client++).toString(16)}::1`, '/24': () => `8.8.8.${client++}` }
      for (const [network, next] of Object.entries(networks)) {
        client = 1
        const counts = await statuses(100, 8, () => createFrom(server, next()))
        assert.deepEqual([counts.get(201), counts.get(429)], [32, 68], network)
        const refused = await createFrom(server, next())
        assert.ok(Number(refused.headers.get('retry-after')) > 0)
        const { detail } = (await refused.json()) as { detail: string }
        assert.match(detail, /^32 links can be created from one network \(IPv4 \/24, IPv6 \/48\) in an hour/)
      }
      assert.equal((await createFrom(server, '2a00:1:3::1')).status, 201)
      assert.equal((await createFrom(server, '8.8.9.1')).status, 201)
    })

    test('a refusal says when to retry, stores nothing, and does not affect other clients', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '1', TRUST_PROXY: '127.0.0.1' })
      if (started === undefined) return
      const { server, advance } = started
      const first = await createFrom(server, '8.8.8.8')
      assert.equal(first.status, 201)
      assert.equal(first.headers.get('ratelimit-policy'), '"links";q=1;w=3600')
      assertSeconds(first.headers.get('ratelimit'), '"links";r=0;t=', 3600)
      await advance(10 * MINUTE)
      const refused = await createFrom(server, '8.8.8.8', { ...EXAMPLE, alias: 'wanted' })
      assert.equal(refused.status, 429)
      assertSeconds(refused.headers.get('retry-after'), '', 3000)
      assertSeconds(refused.headers.get('ratelimit'), '"links";r=0;t=', 3000)
      const problem = (await refused.json()) as { code: string; detail: string }
      assert.equal(problem.code, 'rate_limited')
      assert.equal(problem.detail, '1 link can be created from one address in an hour; try again in 50 minutes')
      assert.equal((await visit(`${server.url}/wanted`)).status, 404)
      assert.equal((await createFrom(server, '8.8.4.4', { ...EXAMPLE, alias: 'wanted' })).status, 201)
    })

    test('a client is an IPv4 address or an IPv6 /64; a mapped IPv4 address counts as IPv4', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '1', TRUST_PROXY: '127.0.0.1' })
      if (started === undefined) return
      const { server } = started
      const answers: number[] = []
      for (const address of [
        '8.8.8.8',
        '::ffff:8.8.8.8',
        '2001:4860:1:2::1',
        '2001:4860:1:2:ffff::2',
        '2001:4860:1:3::1',
      ])
        answers.push((await createFrom(server, address)).status)
      assert.deepEqual(answers, [201, 429, 201, 429, 201])
    })

    test('forwarding headers of an untrusted peer have no effect', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '1' })
      if (started === undefined) return
      const { server } = started
      assert.equal((await createFrom(server, '8.8.8.8')).status, 201)
      for (const address of ['8.8.4.4', '127.0.0.1', 'nonsense', '8.8.4.4, 1.1.1.1'])
        assert.equal((await createFrom(server, address, EXAMPLE, { forwarded: 'for=1.1.1.1' })).status, 429)
    })

    test('behind a trusted proxy only the address that the proxy appended counts, not those that the client sent', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '1', TRUST_PROXY: '127.0.0.1' })
      if (started === undefined) return
      const { server } = started
      assert.equal((await createFrom(server, '1.2.3.4, 8.8.8.8')).status, 201)
      assert.equal((await createFrom(server, '4.3.2.1, 8.8.8.8')).status, 429)
      assert.equal((await createFrom(server, 'junk, 8.8.8.8')).status, 429)
    })

    test('a refused creation is charged as a failure instead, and failures have a limit too', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '2', LIMIT_FAILURES: '3' })
      if (started === undefined) return
      const { server } = started
      await create(server, { ...EXAMPLE, alias: 'taken' })
      const answers: number[] = []
      for (const body of [{ target: 'nonsense' }, { ...EXAMPLE, alias: 'taken' }, { ...EXAMPLE, alias: 'api' }])
        answers.push((await post(`${server.url}/api/links`, body)).status)
      assert.deepEqual(answers, [400, 409, 409])
      const refused = await post(`${server.url}/api/links`, EXAMPLE)
      assert.equal(refused.status, 429)
      assert.match(refused.headers.get('ratelimit') ?? '', /^"failures";r=0/)
      // The form shares the count.
      const form = await fetch(server.url, { method: 'POST', body: new URLSearchParams(EXAMPLE) })
      assert.equal(form.status, 429)
    })

    test('a creation past its quota is charged as a failure too: its body was read and validated', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '1', LIMIT_FAILURES: '2' })
      if (started === undefined) return
      const { server } = started
      await create(server, EXAMPLE)
      const spent: (string | null)[] = []
      for (let at = 0; at < 3; at++) {
        const refused = await post(`${server.url}/api/links`, EXAMPLE)
        assert.equal(refused.status, 429)
        spent.push(refused.headers.get('ratelimit-policy'))
      }
      assert.deepEqual(spent, ['"links";q=1;w=3600', '"links";q=1;w=3600', '"failures";q=2;w=3600'])
    })

    test('a retry with an Idempotency-Key succeeds when no more creations may be refused, and nothing else does', async (t) => {
      const started = await startCounting(t, { LIMIT_FAILURES: '2' })
      if (started === undefined) return
      const { server } = started
      const headers = { 'idempotency-key': 'a key of sixteen or more' }
      const send = (path: string, body: unknown, more: Record<string, string> = headers) =>
        post(`${server.url}/api/${path}`, body, more)
      const created = await (await send('links', EXAMPLE)).json()
      for (let at = 0; at < 2; at++) assert.equal((await send('links', {}, {})).status, 400)
      const retry = await send('links', EXAMPLE)
      assert.deepEqual([retry.status, await retry.json()], [201, created])
      assert.equal((await send('links', EXAMPLE, { 'idempotency-key': 'another key of many' })).status, 429)
      assert.equal((await send('links', EXAMPLE, {})).status, 429)
      assert.equal((await send('links', EXAMPLE, { 'idempotency-key': 'short' })).status, 400)
    })

    test('past that, the key of a creation has no more of other requests read than a client may have unknown codes', async (t) => {
      const started = await startCounting(t, { LIMIT_FAILURES: '2', LIMIT_MISSES: '3' })
      if (started === undefined) return
      const { server } = started
      const send = (body: unknown, headers = { 'idempotency-key': 'a key of sixteen or more' }) =>
        post(`${server.url}/api/links`, body, headers)
      assert.equal((await send(EXAMPLE)).status, 201)
      for (let at = 0; at < 2; at++)
        assert.equal((await send({}, { 'idempotency-key': `key ${at} of sixteen` })).status, 400)
      for (let at = 0; at < 5; at++) assert.equal((await send(EXAMPLE)).status, 201)
      const other = { ...EXAMPLE, title: 'other' }
      const answered = []
      for (let at = 0; at < 5; at++) answered.push((await send(other)).status)
      assert.deepEqual(answered, [422, 422, 422, 429, 429])
    })

    test('malformed bodies are charged as failures, and successful creations are refunded theirs', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '0', LIMIT_FAILURES: '2' })
      if (started === undefined) return
      const { server } = started
      const send = (body: string, type = 'application/json') =>
        fetch(`${server.url}/api/links`, { method: 'POST', body, headers: { 'content-type': type } })
      for (let at = 0; at < 5; at++) assert.equal((await send(JSON.stringify(EXAMPLE))).status, 201)
      assert.equal((await send('{')).status, 400)
      assert.equal((await send('x', 'text/plain')).status, 415)
      assert.equal((await send(JSON.stringify(EXAMPLE))).status, 429)
    })

    test('a retry with an Idempotency-Key is not charged, and succeeds when the quota is used up', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '1' })
      if (started === undefined) return
      const { server } = started
      const key = { 'idempotency-key': 'a-key-of-16-chars-or-more' }
      const first = await (await post(`${server.url}/api/links`, EXAMPLE, key)).json()
      const again = await post(`${server.url}/api/links`, EXAMPLE, key)
      assert.equal(again.status, 201)
      assert.deepEqual(await again.json(), first)
      assert.equal((await post(`${server.url}/api/links`, EXAMPLE)).status, 429)
    })

    test('the form and the API share one count, and the page of a refused form keeps its values', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '1' })
      if (started === undefined) return
      const { server } = started
      await create(server, EXAMPLE)
      const page = await fetch(server.url, {
        method: 'POST',
        body: new URLSearchParams({ kind: 'url', target: 'https://example.com/typed' }),
      })
      assert.equal(page.status, 429)
      assert.ok(Number(page.headers.get('retry-after')) > 3500)
      const text = await page.text()
      assert.match(text, /many requests in a short time/)
      assert.match(text, /https:\/\/example\.com\/typed/)
    })

    test('all QR images share one count; visits have none', async (t) => {
      const started = await startCounting(t, { LIMIT_QR: '3' })
      if (started === undefined) return
      const { server } = started
      const link = await create(server, EXAMPLE)
      for (const path of ['/api/qr?data=x', `/${link.code}/qr.png`, `/${link.code}/qr.svg`])
        assert.equal((await fetch(server.url + path)).status, 200)
      for (const path of ['/api/qr?data=x', `/${link.code}/qr.png`, `/${link.code}/qr.svg`]) {
        const refused = await fetch(server.url + path)
        assert.equal(refused.status, 429)
        assert.match(refused.headers.get('ratelimit') ?? '', /^"qr";r=0;t=\d+$/)
      }
      for (let at = 0; at < 10; at++) assert.equal((await visit(link.short_url)).status, 302)
    })

    test('a new design is charged as an image, because it is drawn for a check; the one that a link already has is not', async (t) => {
      const started = await startCounting(t, { LIMIT_QR: '2' })
      if (started === undefined) return
      const { server } = started
      const { token } = await create(server, EXAMPLE)
      const save = async (design: object | null, body: object = {}) =>
        (await put(`${server.url}/api/manage/${token}`, { ...body, design })).status
      assert.equal(await save({ fg: '#000080' }), 200)
      assert.equal(await save({ fg: '#fff' }), 400)
      assert.equal(await save({ fg: '#800000' }), 429)
      assert.equal(await save({ fg: '#000080' }, { title: 'Menu' }), 200)
      assert.equal(await save(null), 200)
      const page = await fetch(`${server.url}/m/${token}`, {
        method: 'POST',
        body: new URLSearchParams({ action: 'design', shape: 'dots' }),
      })
      assert.equal(page.status, 429)
      assert.match(
        await page.text(),
        /Design not saved. You have sent many requests in a short time. Please try again in \d+ minutes/,
      )
    })

    test('each changed link is charged, by whatever it was changed; what changes nothing or is refused is not', async (t) => {
      const started = await startCounting(t, { LIMIT_CHANGES: '6' })
      if (started === undefined) return
      const { server } = started
      const [{ token }, other] = [await create(server, EXAMPLE), await create(server, EXAMPLE)]
      const manage = `${server.url}/api/manage`
      const change = (body: object) => put(`${manage}/${token}`, body)
      const changeMany = (title: string, query = '', more: object[] = []) =>
        post(`${manage}${query}`, { changes: [{ token, title }, { token: other.token, title }, ...more] })
      const form = (fields: Record<string, string>) =>
        fetch(`${server.url}/m/${token}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

      const first = await change({ title: 'One' })
      assert.deepEqual([first.status, first.headers.get('ratelimit-policy')], [200, '"changes";q=6;w=3600'])
      assertSeconds(first.headers.get('ratelimit'), '"changes";r=5;t=', 3600)
      const free = [
        await change({ title: 'One' }),
        await change({ target: 'nonsense' }),
        await changeMany('Two', '?dry_run=true'),
        await changeMany('Two', '?atomic=true', [{ token: 'x', title: 'Two' }]),
      ]
      assert.deepEqual(
        free.map(({ status }) => status),
        [200, 400, 200, 400],
      )
      assert.equal((await post(`${manage}/${token}/revert`, { revision: 1 })).status, 200)
      assert.equal((await form({ action: 'design', shape: 'dots' })).status, 303)
      const many = await changeMany('Three')
      assert.match(many.headers.get('ratelimit') ?? '', /^"changes";r=1;/)
      const refused = await changeMany('Four')
      const { detail } = (await refused.json()) as { detail: string }
      assert.equal(refused.status, 429)
      assert.match(detail, /^6 links can be changed from one address in an hour, of which 1 is left for the 2 of this/)
      assert.equal((await form({ action: 'pause' })).status, 303)
      assert.deepEqual(
        [(await change({ title: 'Four' })).status, (await form({ action: 'resume' })).status],
        [429, 429],
      )
      const details = (await (await fetch(`${manage}/${token}`)).json()) as { title: string; active: boolean }
      assert.deepEqual([details.title, details.active], ['Three', false])
      assert.equal((await fetch(`${manage}/${token}`, { method: 'DELETE' })).status, 200, 'a deletion is not charged')
    })

    test('a change counts by what it stores: each 16 KiB that it replaces or brings count as one, by whatever it is changed', async (t) => {
      const started = await startCounting(t, { LIMIT_CHANGES: '11' })
      if (started === undefined) return
      const { server } = started
      const { token } = await create(server, EXAMPLE)
      const manage = `${server.url}/api/manage`
      const target = (length: number) => ({ target: `https://example.com/${'a'.repeat(length)}` })
      const rules = (count: number) =>
        Array.from({ length: count }, () => ({ when: { source: 'qr' }, then: target(1900) }))
      const left = (response: Response) => [response.status, response.headers.get('ratelimit')?.replace(/;t=.*/, '')]
      // 15 rules have 29 KB, which come; then 15 and one are replaced by others.
      assert.deepEqual(left(await put(`${manage}/${token}`, { rules: rules(15) })), [200, '"changes";r=9'])
      assert.deepEqual(left(await put(`${manage}/${token}`, { title: 'Menu' })), [200, '"changes";r=8'])
      const many = (body: object) => post(manage, { changes: [{ token, ...body }] })
      assert.deepEqual(left(await many({ rules: rules(16) })), [200, '"changes";r=4'])
      assert.deepEqual(left(await post(`${manage}/${token}/revert`, { revision: 1 })), [200, '"changes";r=2'])
      assert.equal((await put(`${manage}/${token}`, { rules: rules(20) })).status, 429)
      assert.deepEqual(left(await many({ title: 'Other' })), [200, '"changes";r=1'])
    })

    test('a change that the store failed to write is not charged', async (t) => {
      const started = await startCounting(t, { LIMIT_CHANGES: '1' })
      if (started === undefined) return
      const { server } = started
      const { token } = await create(server, EXAMPLE)
      const { db } = server.services
      const { transaction } = db
      db.transaction = () => Promise.reject(Object.assign(new Error('disk I/O error'), { errcode: 10 }))
      assert.equal((await put(`${server.url}/api/manage/${token}`, { title: 'Menu' })).status, 503)
      db.transaction = transaction
      assert.equal((await put(`${server.url}/api/manage/${token}`, { title: 'Menu' })).status, 200)
    })

    test('reports through the API and through the page share one count', async (t) => {
      const started = await startCounting(t, { LIMIT_REPORTS: '2' })
      if (started === undefined) return
      const { server } = started
      const link = await create(server, EXAMPLE)
      const report = { code: link.code, reason: 'phishing' }
      const byPage = () => fetch(`${server.url}/report`, { method: 'POST', body: new URLSearchParams(report) })
      assert.deepEqual([(await post(`${server.url}/api/reports`, report)).status, (await byPage()).status], [202, 200])
      assert.deepEqual([(await post(`${server.url}/api/reports`, report)).status, (await byPage()).status], [429, 429])
    })

    test('registrations of domains have a separate count', async (t) => {
      const started = await startCounting(t, { LIMIT_DOMAINS: '2', BASE_URL: 'https://qr.bakery.shop' })
      if (started === undefined) return
      const { server } = started
      const register = (domain: string) => post(`${server.url}/api/domains`, { domain })
      // What is refused, and a name that was registered before, is charged nothing.
      for (const [domain, status] of [
        ['a.example.com', 201],
        ['com', 400],
        ['a.example.com', 200],
        ['b.example.com', 201],
        ['c.example.com', 429],
      ] as const)
        assert.equal((await register(domain)).status, status, domain)
    })

    test('a client that guesses codes and tokens is refused, but still reaches links that exist', async (t) => {
      const started = await startCounting(t, { LIMIT_MISSES: '3' })
      if (started === undefined) return
      const { server } = started
      const link = await create(server, EXAMPLE)
      const token = 'x'.repeat(43)
      for (const path of ['/unknown-1', `/m/${token}`, `/api/manage/${token}`])
        assert.equal((await visit(server.url + path)).status, 404)
      for (const path of [
        '/unknown-2',
        '/unknown-2/qr.png',
        '/unknown-2+',
        `/m/${token}`,
        `/api/manage/${token}/stats`,
      ]) {
        const refused = await visit(server.url + path)
        assert.equal(refused.status, 429, path)
        assert.ok(Number(refused.headers.get('retry-after')) > 0)
      }
      assert.equal((await visit(link.short_url)).status, 302)
      assert.equal((await fetch(`${server.url}/api/manage/${link.token}`)).status, 200)
      assert.equal((await put(`${server.url}/api/manage/${link.token}`, { title: 'x' })).status, 200)
    })

    test('forms and bodies for unknown tokens are charged as failed look-ups, whatever they contain', async (t) => {
      const started = await startCounting(t, { LIMIT_MISSES: '4' })
      if (started === undefined) return
      const { server } = started
      const token = 'x'.repeat(43)
      const send = (path: string, method: string, type: string, body: string) =>
        fetch(server.url + path, { method, body, headers: { 'content-type': type } })
      const form = 'application/x-www-form-urlencoded'
      const requests = [
        () => send(`/m/${token}`, 'POST', form, 'a&'.repeat(1_000_000)),
        () => send('/m/x', 'POST', form, 'action=pause'),
        () => send('/m/x', 'POST', 'multipart/form-data', 'nothing'),
        () => send(`/api/manage/${token}`, 'PUT', 'application/json', '{'),
      ]
      for (const request of requests) assert.equal((await request()).status, 404)
      for (const request of requests) assert.equal((await request()).status, 429)
    })

    test('0 switches a limit off: no header, no refusal', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '0' })
      if (started === undefined) return
      const { server } = started
      for (let at = 0; at < 70; at++) {
        const response = await post(`${server.url}/api/links`, EXAMPLE)
        assert.equal(response.status, 201)
        assert.equal(response.headers.get('ratelimit'), null)
      }
    })

    test('a creation that the store failed to write is not charged', async (t) => {
      const started = await startCounting(t, { LIMIT_LINKS: '1' })
      if (started === undefined) return
      const { server } = started
      const { prepareChange } = server.services.db
      const fault = Object.assign(new Error('disk I/O error'), { errcode: 10 })
      server.services.db.prepareChange = () => () => Promise.reject(fault)
      const failed = await post(`${server.url}/api/links`, EXAMPLE)
      assert.equal(failed.status, 503)
      assert.match(failed.headers.get('ratelimit') ?? '', /^"links";r=1/)
      server.services.db.prepareChange = prepareChange
      assert.equal((await post(`${server.url}/api/links`, EXAMPLE)).status, 201)
    })
  })

test('a restart resets all counts, because they are in memory only', async (t) => {
  const first = await startServer(t, { LIMIT_LINKS: '1' })
  await create(first, EXAMPLE)
  await first.stop()
  const second = await startServer(t, { LIMIT_LINKS: '1', DATA_DIR: first.dataDir })
  assert.equal((await post(`${second.url}/api/links`, EXAMPLE)).status, 201)
})
