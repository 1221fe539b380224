import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { insertAudit } from '../src/abuse/store.ts'
import { readSweep } from '../src/abuse/sweep-store.ts'
import { command } from './support/cli.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { startDns } from './support/dns.ts'
import { ask } from './support/http.ts'
import { poll } from './support/poll.ts'
import { exitOf, start } from './support/program.ts'
import { create, post, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

interface ProblemBody {
  code: string
  detail: string
  errors?: { pointer: string; detail: string }[]
}

const GOOD = 'https://good.example/'
const BAD = 'https://www.bad.example/login?x=1'

/** Starts a service with a list in a file, and returns a function that replaces the list. */
async function startListed(t: TestContext, list = 'bad.example\nhttps://files.example/evil/\n') {
  const file = join(temporaryFolder(t), 'own.txt')
  writeFileSync(file, list)
  const server = await startServer(t, { ABUSE_FEEDS: file, CONTACT: 'abuse@example.com', LIMIT_REPORTS: '0' })
  const relist = async (text: string) => {
    writeFileSync(file, text)
    await server.services.abuse.operations['lists']?.({ accept: true })
  }
  await relist(list)
  return { server, relist }
}

async function refused(response: Response, status: number): Promise<ProblemBody> {
  const body = (await response.json()) as ProblemBody
  assert.equal(response.status, status, JSON.stringify(body))
  return body
}

const detailsOf = async (server: TestServer, { token }: Created) =>
  (await (await fetch(`${server.url}/api/manage/${token}`)).json()) as Record<string, unknown> & {
    removed: { reason: string; source: string; at: string } | null
  }

/**
 * Waits until all links have been matched with the lists.
 * @param before the lists that they were matched with, where they have changed since
 * @returns the lists that they were matched with now
 */
async function untilSwept({ services }: TestServer, before?: string): Promise<string> {
  let swept: string | undefined
  await poll(async () => {
    const sweep = await readSweep(services.db.read)
    if (sweep?.finished === true && sweep.lists !== before) swept = sweep.lists
    return swept !== undefined
  })
  return swept ?? ''
}

/** Waits until a visit of the URL has this status. */
async function untilVisit(url: string, status: number): Promise<void> {
  let last = 0
  await poll(
    async () => (last = (await visit(url)).status) === status,
    () => `${url} responds with ${last}, not ${status}`,
  )
}

async function run(server: { dataDir: string }, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await command(server.dataDir, ...args)
  assert.deepEqual([status, stderr], [0, ''], stderr)
  return stdout
}

async function fails(server: { dataDir: string }, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await command(server.dataDir, ...args)
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^quirl: [^\n]+\n$/)
  return stderr
}

describe('a listed destination is refused', () => {
  const bodies: [field: string, body: object, pointers: string[]][] = [
    ['a target', { target: BAD }, ['/target']],
    ['a target inside the payload', { payload: { target: BAD } }, ['/payload/target']],
    ['a spelling that hides the host', { target: 'https://www.b%61d.EXAMPLE:443/./x/..' }, ['/target']],
    ['a listed path', { target: 'https://cdn.files.example/evil/x.exe' }, ['/target']],
    ['a store', { kind: 'appstore', ios: GOOD, android: BAD, fallback: BAD }, ['/android', '/fallback']],
    ['a web site', { kind: 'vcard', firstName: 'A', website: BAD }, ['/website']],
    ['a page about an event', { kind: 'event', summary: 'A', start: '2027-06-12', url: BAD }, ['/url']],
    [
      'a button',
      {
        kind: 'page',
        headline: 'x',
        links: [
          { label: 'a', url: GOOD },
          { label: 'b', url: BAD },
        ],
      },
      ['/links/1/url'],
    ],
    ['a target that visits do not use', { kind: 'page', headline: 'x', target: BAD }, ['/target']],
  ]
  for (const [field, body, pointers] of bodies) {
    test(`as ${field}, with 422 and the field's pointer, and nothing is written`, async (t) => {
      const { server } = await startListed(t)
      const problem = await refused(await post(`${server.url}/api/links`, body), 422)
      assert.equal(problem.code, 'target_blocked')
      assert.deepEqual(
        problem.errors?.map(({ pointer }) => pointer),
        pointers,
      )
      assert.match(problem.detail, /is listed as malware or phishing \(\S+, by own\.txt\)/)
      assert.deepEqual(await server.services.db.read.selectFrom('links').selectAll().execute(), [])
    })
  }

  test('in an update, which changes nothing', async (t) => {
    const { server } = await startListed(t)
    const link = await create(server, { target: GOOD })
    const before = await detailsOf(server, link)
    const problem = await refused(await put(`${server.url}/api/manage/${link.token}`, { target: BAD, title: 'x' }), 422)
    assert.deepEqual([problem.code, problem.errors?.[0]?.pointer], ['target_blocked', '/target'])
    assert.deepEqual(await detailsOf(server, link), before)
  })

  test('in a row of a bulk creation, while the other rows are created', async (t) => {
    const { server } = await startListed(t)
    const response = await post(`${server.url}/api/bulk`, [{ target: GOOD }, { target: BAD }])
    const { created, failed, results } = (await response.json()) as {
      created: number
      failed: number
      results: { error?: ProblemBody }[]
    }
    assert.deepEqual([response.status, created, failed], [201, 1, 1])
    const { code, errors } = results[1]?.error ?? {}
    assert.deepEqual([code, errors?.map(({ pointer }) => pointer)], ['target_blocked', ['/target']])
  })

  test('in a form, next to its field', async (t) => {
    const { server } = await startListed(t)
    const response = await fetch(`${server.url}/?create`, {
      method: 'POST',
      body: new URLSearchParams({ target: BAD }),
    })
    assert.equal(response.status, 422)
    assert.match(
      await response.text(),
      /class="fault" id="field-target-fault">This address is on a list of harmful websites/,
    )
  })

  test('while sibling hosts and paths that are not listed are accepted', async (t) => {
    const { server } = await startListed(t)
    for (const target of ['https://bad.example.org/', 'https://notbad.example/', 'https://files.example/', GOOD]) {
      assert.equal((await post(`${server.url}/api/links`, { target })).status, 201, target)
    }
  })
})

test('after a change of the lists, links to listed URLs are removed, and only their owners see why', async (t) => {
  const { server, relist } = await startListed(t, 'other.example\n')
  const links = {
    redirect: await create(server, { target: BAD }),
    store: await create(server, { kind: 'appstore', ios: BAD, android: GOOD }),
    paused: await create(server, { target: BAD }),
    good: await create(server, { target: GOOD }),
  }
  await put(`${server.url}/api/manage/${links.paused.token}`, { active: false })
  assert.equal((await visit(links.redirect.short_url)).status, 302)
  const first = await untilSwept(server)
  await relist('other.example\nbad.example\n')
  for (const link of [links.redirect, links.store, links.paused]) {
    await untilVisit(link.short_url, 410)
    const { removed } = await detailsOf(server, link)
    assert.deepEqual([removed?.source, removed?.reason], ['list', 'bad.example/ is on the list own.txt'])
  }
  assert.equal((await visit(links.good.short_url)).status, 302)
  assert.match(
    await run(server, 'audit'),
    new RegExp(`block +${links.redirect.code} +own.txt +bad.example/ is on the list`),
  )
  const listed = await untilSwept(server, first)
  await relist('other.example\n')
  await untilSwept(server, listed)
  assert.equal((await visit(links.redirect.short_url)).status, 410, 'a list that forgets gives nothing back by itself')
})

test('an idempotent retry of a creation returns the first response, although its destination has been listed since', async (t) => {
  const { server, relist } = await startListed(t, 'other.example\n')
  const send = (key: string) => post(`${server.url}/api/links`, { target: BAD }, { 'idempotency-key': key })
  const first = await (await send('a-key-of-sixteen-characters')).json()
  await relist('other.example\nbad.example\n')
  const again = await send('a-key-of-sixteen-characters')
  assert.deepEqual([again.status, await again.json()], [201, first])
  await refused(await send('another-key-of-many-characters'), 422)
  await refused(await send('another-key-of-many-characters'), 422)
  assert.equal((await server.services.db.read.selectFrom('links').selectAll().execute()).length, 1)
})

test('an idempotent retry of a bulk request returns the first response, although all its destinations have been listed since', async (t) => {
  const { server, relist } = await startListed(t, 'other.example\n')
  const key = { 'idempotency-key': 'a-key-of-sixteen-characters' }
  const send = () => post(`${server.url}/api/bulk`, [{ target: BAD }, { target: BAD }], key)
  const first = await (await send()).json()
  await relist('other.example\nbad.example\n')
  const again = await send()
  assert.deepEqual([again.status, await again.json()], [201, first])
})

test('a sweep that kill -9 interrupted is resumed at the next start', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'own.txt')
  writeFileSync(file, 'other.example\n')
  const first = await start(t, undefined, [`--abuse-feeds=${file}`])
  const link = await create(first, { target: BAD })
  writeFileSync(file, 'other.example\nbad.example\n')
  await run(first, 'lists', '--refresh')
  first.process.kill('SIGKILL')
  await exitOf(first)
  const second = await start(t, first.dataDir, [`--abuse-feeds=${file}`])
  await untilVisit(`${second.url}/${link.code}`, 410)
})

describe('an operator', () => {
  test('blocks a code, and unblocks it', async (t) => {
    const { server } = await startListed(t)
    const link = await create(server, { target: GOOD, alias: 'Menu' })
    await visit(link.short_url)
    assert.equal(await run(server, 'block', 'menu', '--reason=spam'), 'Menu is blocked\n')
    assert.equal((await visit(link.short_url)).status, 410)
    assert.equal((await fetch(link.qr_png)).status, 410)
    assert.deepEqual((await detailsOf(server, link)).removed?.reason, 'spam')
    assert.equal(await run(server, 'unblock', link.short_url), 'Menu is unblocked\n')
    assert.equal((await visit(link.short_url)).status, 302)
    assert.equal((await detailsOf(server, link)).removed, null)
    const audit = await run(server, 'audit')
    assert.match(audit, /unblock +Menu +operator *\n[^\n]*block +Menu +operator +spam\n/)
  })

  test('reads the audit log back to its first entry, part by part', async (t) => {
    const { server } = await startListed(t)
    const rows = Array.from({ length: 450 }, (_, at) => ({
      at,
      action: 'block',
      subject: `code-${at}.`,
      source: 'operator',
      reason: '',
    }))
    await insertAudit(server.services.db.write, ...rows)
    const audit = (...options: string[]) => command(server.dataDir, 'audit', ...options)
    const seen = new Set<string>()
    let before: string | undefined
    for (let part = 0; part < 3; part++) {
      const { stdout, stderr } = await audit(...(before === undefined ? [] : [`--before=${before}`]))
      for (const [subject] of stdout.matchAll(/code-\d+\./g)) seen.add(subject)
      before = /quirl audit --before=(\d+)\n/.exec(stderr)?.[1]
    }
    assert.deepEqual([seen.size, before], [450, undefined])
  })

  test('removes a code by legal order, so that visits get 451', async (t) => {
    const { server } = await startListed(t)
    const link = await create(server, { target: GOOD, alias: 'menu' })
    const below = await create(server, { target: 'https://www.order.example/x' })
    await run(server, 'block', 'menu', '--legal', '--reason=court 1 O 23/26')
    assert.equal((await visit(link.short_url)).status, 451)
    assert.deepEqual((await detailsOf(server, link)).removed?.source, 'legal')
    await run(server, 'block', 'order.example', '--legal')
    await untilVisit(below.short_url, 451)
  })

  test('blocks a host: links to it are removed, new ones refused, also after a restart; and unblocks it', async (t) => {
    const first = await start(t)
    const link = await create(first, { target: 'https://www.own.example/x' })
    const other = await create(first, { target: 'https://own.example.org/' })
    assert.match(await run(first, 'block', 'OWN.example', '--reason', 'phishes'), /^own\.example\/ is blocked: /)
    const problem = await refused(await post(`${first.url}/api/links`, { target: 'https://own.example/' }), 422)
    assert.match(problem.detail, /is blocked by the operator of this service \(own\.example\/\)/)
    await untilVisit(link.short_url, 410)
    assert.equal((await visit(other.short_url)).status, 302)
    first.process.kill('SIGTERM')
    await exitOf(first)

    const second = await start(t, first.dataDir)
    await refused(await post(`${second.url}/api/links`, { target: 'https://own.example/' }), 422)
    assert.match(await run(second, 'entries'), /block +own\.example\/ +phishes\n/)
    assert.equal(
      await run(second, 'unblock', 'https://own.example/'),
      'own.example/ is no longer blocked by you\n1 link is unblocked\n',
    )
    assert.equal((await visit(`${second.url}/${link.code}`)).status, 302)
    assert.equal((await post(`${second.url}/api/links`, { target: 'https://own.example/' })).status, 201)
    assert.equal(await run(second, 'entries'), 'there are no block or allow rules\n')
  })

  test('blocks an address that visitors of a link reach by its UTM parameters; and unblocks it', async (t) => {
    const server = await start(t)
    const link = await create(server, { target: 'https://shop.example/', utm: { ref: 'bad' } })
    await run(server, 'block', 'https://shop.example/?ref=bad')
    await untilVisit(link.short_url, 410)
    assert.match(await run(server, 'unblock', 'https://shop.example/?ref=bad'), /\n1 link is unblocked\n$/)
    assert.equal((await visit(link.short_url)).status, 302)
  })

  test('allows a listed host, and deletes that rule', async (t) => {
    const { server, relist } = await startListed(t, 'other.example\n')
    const link = await create(server, { target: BAD })
    await relist('other.example\nbad.example\n')
    await untilVisit(link.short_url, 410)
    assert.match(
      await fails(server, 'unblock', link.code),
      /leads to what the list own\.txt has: "quirl unblock bad\.example\/" first/,
    )
    assert.equal(
      await run(server, 'unblock', 'www.bad.example'),
      'www.bad.example/ is allowed although it is on a list\n1 link is unblocked\n',
    )
    assert.equal((await visit(link.short_url)).status, 302)
    await refused(await post(`${server.url}/api/links`, { target: 'https://bad.example/' }), 422)
    assert.equal(await run(server, 'entries', '--forget=www.bad.example'), 'there are no block or allow rules\n')
    await untilVisit(link.short_url, 410)
  })

  test('unblocks a host that a list blocks as well, and the command says that it stays blocked', async (t) => {
    const { server } = await startListed(t)
    await run(server, 'block', 'bad.example')
    assert.match(
      await run(server, 'unblock', 'bad.example'),
      /no longer blocked by you\n0 links are unblocked\nthe list own\.txt still blocks it: run "quirl unblock bad\.example\/" once more/,
    )
  })

  test('sees one line when a command fails', async (t) => {
    const server = await startServer(t, { BASE_URL: 'https://qr.bakery.shop' })
    const link = await create(server, { target: GOOD, alias: 'up' })
    const gone = await create(server, { target: GOOD, alias: 'gone' })
    await fetch(`${server.url}/api/manage/${gone.token}`, { method: 'DELETE' })
    const lines: [args: string[], says: RegExp][] = [
      [['block', 'unknown'], /no link has the code unknown/],
      [['block', 'https://qr.bakery.shop/unknown'], /no link has the code unknown/],
      [['block', 'gone'], /the link gone was deleted by its owner/],
      [['unblock', link.code], /up is not blocked/],
      [['unblock', 'nowhere.example'], /nothing blocks nowhere\.example\//],
      [['block', 'co.uk'], /co\.uk is a public suffix/],
      [['block', 'http://intranet/'], /is neither a code nor a public host/],
      [['block', 'qr.bakery.shop'], /qr\.bakery\.shop is this service itself/],
      [['block', 'https://no host/'], /is neither a code nor a host nor a URL/],
      [['block'], /give one code, host or URL/],
      [['block', 'a', 'b'], /give one code, host or URL/],
      [['block', 'up', `--reason=${'x'.repeat(501)}`], /at most 500 characters/],
      [['reports', 'dismiss', 'up'], /there are no reports of up/],
      [['reports', 'forget', 'up'], /give one code/],
      [['audit', '--before=yesterday'], /must be the number of an entry/],
      [['entries', '--forget=nowhere.example'], /there is no rule for nowhere\.example/],
    ]
    for (const [args, says] of lines) assert.match(await fails(server, ...args), says)
    assert.equal((await visit(`${server.url}/up`)).status, 302)
    assert.deepEqual(await server.services.db.read.selectFrom('audit').selectAll().execute(), [])
  })

  test('can block a whole shared suffix, which lists cannot', async (t) => {
    const { server } = await startListed(t)
    const link = await create(server, { target: 'https://someone.github.io/' })
    await run(server, 'block', 'github.io')
    await untilVisit(link.short_url, 410)
  })
})

describe('reports', () => {
  const send = (server: TestServer, body: unknown) => post(`${server.url}/api/reports`, body)

  test('a hundred concurrent reports of one code, in any form, are one row with a count', async (t) => {
    const { server } = await startListed(t)
    const link = await create(server, { target: GOOD, alias: 'Menu' })
    const url = link.short_url
    const images = [link.qr_png, link.qr_svg, `${url}/qr.pdf?width_mm=40`]
    const forms = ['Menu', 'MENU', url, `${url}?qr=1`, `${url.toUpperCase()}.Q`, `${url}.q`, `${url}+`, ...images]
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, at) => send(server, { code: forms[at % forms.length], reason: 'phishing' })),
    )
    for (const response of responses) {
      assert.deepEqual([response.status, await response.json()], [202, { received: true, code: 'Menu' }])
    }
    await send(server, { code: 'menu', reason: 'malware', details: 'a\u202e\tfile\nwith two lines' })
    const rows = await server.services.db.read.selectFrom('reports').selectAll().execute()
    assert.deepEqual([rows.length, rows[0]?.count], [1, 101])
    const text = await run(server, 'reports')
    assert.match(text, /^CODE .*\nMenu +1 +101 +2\d{3}-.* phishing 100, malware 1 +a file with two lines\n/)
    const [json] = JSON.parse(await run(server, 'reports', '--json')) as { code: string; count: number }[]
    assert.deepEqual([json?.code, json?.count], ['Menu', 101])
    assert.equal(await run(server, 'reports', 'dismiss', 'menu'), 'the reports of Menu are dismissed\n')
    assert.equal(await run(server, 'reports'), 'there are no reports\n')
    assert.match(await run(server, 'audit'), /dismiss +Menu +operator/)
  })

  test('a page of another site cannot have its visitors report a link', async (t) => {
    const { server } = await startListed(t)
    await create(server, { target: GOOD, alias: 'up' })
    const report = JSON.stringify({ code: 'up', reason: 'spam' })
    const by = (site: string) =>
      ask(`${server.url}/api/reports`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': site },
        body: report,
      })
    assert.equal((await by('cross-site')).status, 403)
    assert.deepEqual(await server.services.db.read.selectFrom('reports').selectAll().execute(), [])
    assert.equal((await by('same-origin')).status, 202)
  })

  test('an invalid report is refused and not stored', async (t) => {
    const { server } = await startListed(t)
    const link = await create(server, { target: GOOD, alias: 'up' })
    const removed = await create(server, { target: GOOD, alias: 'removed' })
    await run(server, 'block', removed.code)
    const refusals: [body: unknown, status: number, code: string, pointer?: string][] = [
      [{ code: 'unknown', reason: 'spam' }, 404, 'unknown_code'],
      [{ code: removed.code, reason: 'spam' }, 410, 'code_removed'],
      [{ code: 'https://elsewhere.example/up', reason: 'spam' }, 400, 'invalid_request', '/code'],
      [{ reason: 'spam' }, 400, 'invalid_request', '/code'],
      [{ code: 'up' }, 400, 'invalid_request', '/reason'],
      [{ code: 'up', reason: 'dislike' }, 400, 'invalid_request', '/reason'],
      [{ code: 'up', reason: 'spam', details: 'x'.repeat(2001) }, 400, 'invalid_request', '/details'],
      [{ code: 'up', reason: 'spam', details: 'a\u0007' }, 400, 'invalid_request', '/details'],
      [[], 400, 'invalid_request', ''],
    ]
    for (const [body, status, code, pointer] of refusals) {
      const problem = await refused(await send(server, body), status)
      assert.deepEqual([problem.code, problem.errors?.[0]?.pointer], [code, pointer], JSON.stringify(body))
    }
    await fetch(`${server.url}/api/manage/${link.token}`, { method: 'DELETE' })
    await refused(await send(server, { code: 'up', reason: 'spam' }), 410)
    assert.deepEqual(await server.services.db.read.selectFrom('reports').selectAll().execute(), [])
  })

  test('a report of a link that is deleted at the same time gets 410, not 500', async (t) => {
    const { server } = await startListed(t)
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const link = await create(server, { target: GOOD })
        const [reported] = await Promise.all([
          send(server, { code: link.code, reason: 'other' }),
          fetch(`${server.url}/api/manage/${link.token}`, { method: 'DELETE' }),
        ])
        return reported.status
      }),
    )
    for (const status of answers) assert.ok(status === 202 || status === 410, String(status))
    assert.deepEqual(await server.services.db.read.selectFrom('reports').selectAll().execute(), [])
    assert.deepEqual(server.logged, [])
  })

  test('are deleted with their link', async (t) => {
    const { server } = await startListed(t)
    const link = await create(server, { target: GOOD })
    assert.equal((await send(server, { code: link.code, reason: 'other', details: 'x' })).status, 202)
    await fetch(`${server.url}/api/manage/${link.token}`, { method: 'DELETE' })
    assert.deepEqual(await server.services.db.read.selectFrom('reports').selectAll().execute(), [])
  })
})

test("on a custom domain a removed code gets 410, and the report page is on the service's own host", async (t) => {
  const dns = await startDns(t, { 'go.customer.example.com': {} })
  let now = Date.UTC(2026, 5, 21)
  const env = { BASE_URL: 'https://qr.bakery.shop', DNS_SERVERS: dns.address }
  const server = await startServer(t, env, () => now)
  await post(`${server.url}/api/domains`, { domain: 'go.customer.example.com' })
  await server.services.domains.read('go.customer.example.com')
  dns.zones['go.customer.example.com'] = { cname: 'qr.bakery.shop' }
  now += 60_000
  assert.equal((await server.services.domains.read('go.customer.example.com')).status, 'active')
  const link = await create(server, { target: GOOD, alias: 'Menu' })
  await run(server, 'block', link.code)
  const page = await new Promise<string>((resolve, reject) => {
    const headers = { host: 'go.customer.example.com', accept: 'text/html' }
    get(`${server.url}/Menu`, { headers }, (response) => text(response).then(resolve, reject))
  })
  assert.match(page, /<h1>This code was blocked<\/h1>/)
  assert.match(page, /href="https:\/\/qr\.bakery\.shop\/report"/)
  assert.doesNotMatch(page, /href="\/"/)
})

describe('security.txt', () => {
  test('has the contact, and expires in less than a year (RFC 9116)', async (t) => {
    const now = Date.UTC(2026, 10, 21)
    const env = { CONTACT: 'abuse@example.com', BASE_URL: 'https://qr.bakery.shop' }
    const server = await startServer(t, env, () => now)
    const response = await fetch(`${server.url}/.well-known/security.txt`)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
    assert.deepEqual((await response.text()).split('\n'), [
      'Contact: mailto:abuse@example.com',
      'Contact: https://qr.bakery.shop/report',
      'Expires: 2027-05-20T00:00:00Z',
      'Preferred-Languages: en',
      'Canonical: https://qr.bakery.shop/.well-known/security.txt',
      '',
    ])
  })

  test('responds with 404 when no contact is configured', async (t) => {
    const server = await startServer(t)
    await refused(await fetch(`${server.url}/.well-known/security.txt`), 404)
  })
})

test('a destination whose host ends in a dot is stored and redirected to unchanged, and screened like any other', async (t) => {
  const { server } = await startListed(t)
  const target = 'https://good.example./menu?a=%41'
  const link = await create(server, { target })
  assert.equal((await visit(`${server.url}/${link.code}`)).headers.get('location'), target)
  assert.equal((await detailsOf(server, link))['target'], target)
  for (const bad of ['https://bad.example./', 'https://www.bad.example.:8443/x', 'https://files.example./evil/x'])
    assert.equal(
      (await refused(await post(`${server.url}/api/links`, { target: bad }), 422)).code,
      'target_blocked',
      bad,
    )
  for (const nowhere of ['https://good.example../', 'https://localhost./', 'https://good.local./'])
    await refused(await post(`${server.url}/api/links`, { target: nowhere }), 400)
  await run(server, 'block', 'https://worse.example./x')
  await refused(await post(`${server.url}/api/links`, { target: 'https://worse.example/x/' }), 422)
})

test('the service is refused as a destination, also with a dot at the end of its host', async (t) => {
  const server = await startServer(t, { BASE_URL: 'https://qr.bakery.shop' })
  for (const own of ['https://qr.bakery.shop/x', 'https://qr.bakery.shop./x', 'http://QR.bakery.shop.']) {
    const { errors } = await refused(await post(`${server.url}/api/links`, { target: own }), 400)
    assert.match(errors?.[0]?.detail ?? '', /lead back/, own)
  }
})

test('a listed path is refused in each variant that servers usually treat alike', async (t) => {
  const { server } = await startListed(t, 'https://files.example/evil\nhttps://files.example/login.php\n')
  for (const path of [
    '/evil',
    '/evil/',
    '/evil;x',
    '/%65vil%3bx',
    '/evil/?x',
    '/login.php/',
    '/login.php/x',
    '/login.php;a/b',
  ])
    await refused(await post(`${server.url}/api/links`, { target: `https://files.example${path}` }), 422)
  for (const path of ['/evil/other', '/evils', '/login.phpx/'])
    await create(server, { target: `https://files.example${path}` })
})
