// The operator's warning before a link: what browsers and programs get of it, and what its owner sees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command } from './support/cli.ts'
import { startTwo } from './support/nodes.ts'
import { create, post, put, skipUnlessOneNode, startServer, visit, type TestServer } from './support/server.ts'

const target = 'https://pay.example.com/a?x=1&y="2"#z'
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const IPHONE = {
  'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
}

const operate = async ({ services }: TestServer, name: 'warn' | 'unwarn', subject: string, reason = '') =>
  services.abuse.operations[name]?.({ subject, reason })

const detailsOf = async ({ url }: Pick<TestServer, 'url'>, token: string) => {
  const response = await fetch(`${url}/api/manage/${token}`)
  return { tag: response.headers.get('etag'), body: (await response.json()) as Record<string, unknown> }
}

const scansOf = async (server: Pick<TestServer, 'url'>, token: string) => {
  const stats = await fetch(`${server.url}/api/manage/${token}/stats?audience=all`)
  return ((await stats.json()) as { totals: { scans: number; qr: number } }).totals
}

/** The address to which the button of a warning leads; undefined without a warning. */
async function buttonOf(response: Response): Promise<string | undefined> {
  const markup = await response.text()
  assert.equal(response.status, 200, markup)
  assert.match(markup, /<h1 id="warning">Be careful with this link<\/h1>/)
  return /<a class="button plain wide" href="([^"]*)"/
    .exec(markup)?.[1]
    ?.replaceAll('&amp;', '&')
    .replaceAll('&#34;', '"')
}

test('a browser gets a warning that names the destination, and programs are redirected as before', async (t) => {
  const server = await startServer(t)
  const { short_url: url, token, code } = await create(server, { target, utm: { utm_source: 'q' } })
  const before = await visit(url, BROWSER)
  const location = before.headers.get('location') ?? ''
  const { tag } = await detailsOf(server, token)
  await operate(server, 'warn', code, 'looks like a bank')
  // Also twice: the second visit is one of the cache.
  for (let at = 0; at < 2; at++) {
    const warned = await visit(`${url}?qr=1`, BROWSER)
    assert.deepEqual(
      ['cache-control', 'x-robots-tag', 'referrer-policy', 'vary'].map((name) => warned.headers.get(name)),
      ['private, no-store', 'noindex', 'no-referrer', 'accept, accept-language'],
    )
    assert.equal(await buttonOf(warned), location)
  }
  const german = await visit(url, { ...BROWSER, 'accept-language': 'de' })
  assert.match(await german.text(), /Vorsicht bei diesem Link.*<strong>pay\.example\.com<\/strong>.*Trotzdem weiter/s)
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    const answer = await visit(url, headers)
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, location])
  }
  const head = await fetch(url, { method: 'HEAD', headers: BROWSER, redirect: 'manual' })
  assert.deepEqual([head.status, head.headers.get('location')], [200, null])
  // Each answer is a scan, and the button leads away: 1 before, 2 with the mark, 1 in German, 3 of programs.
  const totals = await scansOf(server, token)
  assert.deepEqual([totals.scans, totals.qr], [7, 2])
  assert.match(await (await fetch(`${url}+`)).text(), /<span class="state">warning<\/span>/)

  const { body, tag: after } = await detailsOf(server, token)
  const { reason } = body['warned'] as { reason: string }
  assert.equal(reason, 'looks like a bank')
  // A change by the owner does not take it away, and one of before it is told apart.
  const stale = await put(`${server.url}/api/manage/${token}`, { title: 'x' }, { 'if-match': tag ?? '' })
  assert.equal(stale.status, 412)
  const changed = await put(
    `${server.url}/api/manage/${token}`,
    { target: 'https://example.com/new' },
    { 'if-match': after ?? '' },
  )
  assert.equal(changed.status, 200)
  assert.match((await buttonOf(await visit(url, BROWSER))) ?? '', /^https:\/\/example\.com\/new\?/)

  await operate(server, 'unwarn', code)
  assert.equal((await visit(url, BROWSER)).status, 302)
  assert.equal((await detailsOf(server, token)).body['warned'], undefined)
})

test('the warning names what a rule, the store of the platform or the password leads to', async (t) => {
  const server = await startServer(t)
  const ios = 'https://apps.apple.com/app/id1'
  const app = await create(server, { kind: 'appstore', ios, fallback: 'https://example.com/app' })
  const rules = [{ when: { os: ['iOS'] }, then: { target: 'https://example.com/rule' } }]
  const ruled = await create(server, { target, rules })
  const locked = await create(server, { target, password: 'open sesame' })
  const ruledCard = await create(server, { kind: 'vcard', firstName: 'A', rules })
  for (const { code } of [app, ruled, locked, ruledCard]) await operate(server, 'warn', code)
  assert.equal(await buttonOf(await visit(app.short_url, { ...BROWSER, ...IPHONE })), ios)
  assert.equal(await buttonOf(await visit(app.short_url, BROWSER)), 'https://example.com/app')
  assert.equal(await buttonOf(await visit(ruled.short_url, { ...BROWSER, ...IPHONE })), 'https://example.com/rule')
  assert.equal((await visit(ruled.short_url, IPHONE)).headers.get('location'), 'https://example.com/rule')
  assert.equal(
    await buttonOf(await visit(`${ruledCard.short_url}.vcf`, { ...BROWSER, ...IPHONE })),
    'https://example.com/rule',
  )

  const asked = await (await visit(locked.short_url, BROWSER)).text()
  assert.ok(/Password required/.test(asked) && !asked.includes('pay.example.com'))
  const open = (accept: string) =>
    fetch(locked.short_url, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'password=open+sesame',
    })
  assert.match((await buttonOf(await open(BROWSER.accept))) ?? '', /^https:\/\/pay\.example\.com\//)
  assert.equal((await open('*/*')).status, 303)
  assert.equal((await scansOf(server, locked.token)).scans, 2)
})

test('a page, a contact and an event are folded below the warning, and programs get them as before', async (t) => {
  const server = await startServer(t)
  const page = await create(server, {
    kind: 'page',
    headline: 'Win a car',
    links: [{ label: 'Here', url: 'https://example.com/car' }],
  })
  const card = await create(server, { kind: 'vcard', firstName: 'Ada', org: 'Bank' })
  const fair = await create(server, { kind: 'event', summary: 'Fair', start: '2027-06-12' })
  const before = await (await visit(page.short_url)).text()
  for (const { code } of [page, card, fair]) await operate(server, 'warn', code)
  for (const [{ short_url: url }, content] of [
    [page, 'Win a car'],
    [card, 'Ada'],
    [fair, 'Fair'],
  ] as const) {
    const markup = await (await visit(url, BROWSER)).text()
    assert.match(markup, /<title>Be careful with this link<\/title>/)
    assert.doesNotMatch(markup.slice(0, markup.indexOf('<details')), new RegExp(content))
    assert.match(
      markup,
      new RegExp(`<details class="warned">\\s*<summary[^>]*>Show the page anyway</summary>.*${content}`, 's'),
    )
  }
  assert.equal(await (await visit(page.short_url)).text(), before)
  assert.match(await (await visit(card.short_url, { accept: 'text/vcard' })).text(), /^BEGIN:VCARD/)
  assert.match(await (await visit(`${fair.short_url}.ics`, BROWSER)).text(), /^BEGIN:VCALENDAR/)
  assert.equal((await scansOf(server, page.token)).scans, 3)
})

test(
  'the operator warns of a code and no longer, which is audited, and its owner sees why',
  { skip: skipUnlessOneNode },
  async (t) => {
    const server = await startServer(t)
    const { code, manage_url: page } = await create(server, { target, alias: 'Bank' })
    const run = async (...args: string[]) => {
      const { status, stdout, stderr } = await command(server.dataDir, ...args)
      return status === 0 ? stdout : stderr
    }
    assert.match(await run('warn', 'bank', '--reason', 'a <b>bank</b>'), /^Bank has a warning: browsers see it first/)
    assert.match(
      await (await fetch(page)).text(),
      /the operator warns visitors: .* Reason: a &lt;b&gt;bank&lt;\/b&gt;\./s,
    )
    const german = await (await fetch(page, { headers: { 'accept-language': 'de' } })).text()
    assert.match(german, /warnt der Betreiber Besucher: .* Grund: a/s)
    assert.match(await run('unwarn', code), /^Bank has no warning any more/)
    assert.match(await run('unwarn', code), /Bank has no warning/)
    assert.match(await run('warn', 'bad.example'), /must be a code/)
    assert.match(await run('warn', 'unknown'), /no link has the code unknown/)
    assert.match(await run('audit'), /unwarn +Bank +operator.*\n.* warn +Bank +operator +a <b>bank<\/b>/)
    await post(`${server.url}/api/reports`, { code, reason: 'scam' })
    await run('warn', code)
    assert.match(await run('reports'), /Bank +1 +1 .* yes +scam 1/)
    await run('block', code)
    assert.match(await run('warn', code), /Bank is blocked/)
  },
)

test('a warning is seen at once by the other node, and so is its end', async (t) => {
  const nodes = await startTwo(t)
  if (nodes === undefined) return
  const [one, two] = nodes
  const { code } = await create(one, { target })
  const onTwo = () => visit(`${two.url}/${code}`, BROWSER)
  const untilStatus = async (status: number) => {
    const { poll } = await import('./support/poll.ts')
    await poll(async () => (await onTwo()).status === status)
  }
  await untilStatus(302)
  await untilStatus(302)
  await operate(one, 'warn', code)
  await untilStatus(200)
  await operate(one, 'unwarn', code)
  await untilStatus(302)
})
