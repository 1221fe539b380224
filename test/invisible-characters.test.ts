import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { kinds } from '../src/links/kinds/index.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { fc } from './support/fast-check.ts'
import { create, post, put, startServer, visit, type TestServer } from './support/server.ts'

// What becomes of characters that nobody sees, around a URL and inside of it.

const end = endOfFile()
let server: TestServer
before(async () => {
  server = await startServer(end, { BASE_URL: 'https://go.bakery.shop' })
})

interface Answer {
  code: string
  token: string
  target: string | null
  payload: object
  rules: { then: { target: string } }[]
  warnings?: { code: string; detail: string }[]
  results?: Answer[]
}

const PAGE = 'https://example.com/menu'
const HIDDEN = `\u200b${PAGE}\u2060\u200b`
const DROPPED = 'U+200B, U+2060'
const warned = (...pointers: string[]) =>
  pointers.map((pointer) => ({
    code: 'invisible_characters',
    detail: `${pointer} was saved without the invisible ${DROPPED} around it`,
  }))

async function answerOf(response: Response | Promise<Response>, hasWarning = true): Promise<Answer> {
  const { status, headers } = await response
  const text = await (await response).text()
  assert.ok(status < 300, `${status} ${text}`)
  assert.equal(headers.get('quirl-warning'), hasWarning ? 'invisible_characters' : null)
  return JSON.parse(text) as Answer
}

const manage = (token: string) => `${server.url}/api/manage/${token}`
const stored = async (token: string) => (await (await fetch(manage(token))).json()) as Answer
const location = async (code: string) => (await visit(`${server.url}/${code}`)).headers.get('location')

test('invisible characters around a destination are dropped, and the answer says so, also to a retry', async () => {
  const key = { 'idempotency-key': 'a-retry-of-a-hidden-one' }
  for (const attempt of ['first', 'again']) {
    const { code, warnings } = await answerOf(post(`${server.url}/api/links`, { target: HIDDEN }, key))
    assert.deepEqual(warnings, warned('/target'), attempt)
    assert.equal(await location(code), PAGE)
  }
  await answerOf(post(`${server.url}/api/links`, { target: PAGE }), false)
})

/** A link of each kind with all its URLs, and the pointers of those. */
const everyUrl = (url: string): [body: Record<string, unknown>, pointers: string[]][] => [
  [{ target: url }, ['/target']],
  [{ payload: { target: url } }, ['/payload/target']],
  [
    { kind: 'appstore', ios: url, android: url, fallback: url, target: url },
    ['/target', '/ios', '/android', '/fallback'],
  ],
  [{ kind: 'appstore', payload: { ios: url, android: url } }, ['/payload/ios', '/payload/android']],
  [{ kind: 'vcard', firstName: 'Ada', website: url }, ['/website']],
  [{ kind: 'event', summary: 'Fair', start: '2027-06-12', url }, ['/url']],
  [
    {
      kind: 'page',
      headline: 'Ada',
      links: [{ label: 'One', url: PAGE }, ...[url, url].map((each) => ({ label: 'x', url: each }))],
    },
    ['/links/1/url', '/links/2/url'],
  ],
  [{ target: PAGE, rules: [{ when: { os: ['iOS'] }, then: { target: url } }] }, ['/rules/0/then/target']],
  [{ target: PAGE, webhook: { url, events: ['link.changed'] } }, ['/webhook/url']],
]

test('so it is with every URL of every kind, in rules and of webhooks, in creations and changes', async () => {
  assert.deepEqual(new Set(everyUrl('').map(([{ kind = 'url' }]) => kind)), new Set(kinds.map(({ name }) => name)))
  for (const [body, pointers] of everyUrl(HIDDEN)) {
    const { token, warnings } = await answerOf(post(`${server.url}/api/links`, body))
    assert.deepEqual(warnings?.toSorted(byDetail), warned(...pointers).toSorted(byDetail), JSON.stringify(body))
    assert.doesNotMatch(JSON.stringify(await stored(token)), /[\u200b\u2060]/)

    const [plain = {}] = everyUrl(PAGE)[everyUrl(HIDDEN).findIndex(([{ kind }]) => kind === body['kind'])] ?? []
    const { token: other } = await answerOf(post(`${server.url}/api/links`, plain), false)
    const changed = await answerOf(put(manage(other), body))
    assert.deepEqual(changed.warnings?.toSorted(byDetail), warned(...pointers).toSorted(byDetail))
    assert.doesNotMatch(JSON.stringify(await stored(other)), /[\u200b\u2060]/)
  }
})

const byDetail = (one: { detail: string }, other: { detail: string }) => (one.detail < other.detail ? -1 : 1)

test('in bulk and in changes of many links, the row says so', async () => {
  const rows = [{ target: PAGE }, { target: HIDDEN }, { target: 'x' }]
  const csv = `target\n${rows.map(({ target }) => target).join('\n')}`
  for (const body of [rows, { csv }]) {
    const { results = [] } = await answerOf(post(`${server.url}/api/bulk`, body))
    assert.deepEqual(
      results.map(({ warnings }) => warnings),
      [undefined, warned('/target'), undefined],
    )
    assert.equal(await location(results[1]?.code ?? ''), PAGE)
  }
  const dry = await answerOf(post(`${server.url}/api/bulk?dry_run=true`, rows))
  assert.deepEqual(dry.results?.[1]?.warnings, warned('/target'))

  const { token, code } = await create(server, { target: 'https://example.com/' })
  const changes = [
    { token: (await create(server, { target: PAGE })).token, title: 'Menu' },
    { token, target: HIDDEN },
  ]
  const { results = [] } = await answerOf(post(`${server.url}/api/manage`, { changes }))
  assert.deepEqual(
    results.map(({ warnings }) => warnings),
    [undefined, warned('/target')],
  )
  assert.equal(await location(code), PAGE)
})

const sendForm = (path: string, fields: Record<string, string>) =>
  fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields),
  })

/** The text of the page that follows a form, or of the page that answers it. */
async function pageAfter(response: Response): Promise<string> {
  const path = response.headers.get('location')
  return (path === null ? response : await fetch(server.url + path)).text()
}

const SAYS = /Invisible characters before or after an address were left out/

test('the pages say so after each form that takes an address, with and without its scheme', async () => {
  for (const typed of [HIDDEN, ' \u200bexample.com/menu\u2060 \ufeff']) {
    const made = await sendForm('/', { kind: 'url', target: typed })
    const [, token = ''] = /\/m\/([^?]+)\?created&trimmed$/.exec(made.headers.get('location') ?? '') ?? []
    assert.match(await pageAfter(made), SAYS)
    assert.equal((await stored(token)).target, PAGE)

    const revision = async () => {
      const [, text = ''] =
        /name="revision" value="(\d+)"/.exec(await (await fetch(`${server.url}/m/${token}`)).text()) ?? []
      return text
    }
    const forms = [
      { action: 'lead', address: typed },
      { action: 'change', target: typed },
      { action: 'rule', answer: 'target', target: typed, os: 'iOS' },
    ]
    for (const form of forms) {
      const saved = await sendForm(`/m/${token}`, { ...form, revision: await revision() })
      assert.equal(saved.status, 303, form.action)
      assert.match(await pageAfter(saved), SAYS, form.action)
    }
    const hook = { action: 'webhook', webhook_url: typed, events: 'link.changed', revision: await revision() }
    assert.match(await pageAfter(await sendForm(`/m/${token}`, hook)), /webhook-saved&(?:amp;)?trimmed/)
    assert.doesNotMatch(JSON.stringify(await stored(token)), /[\u200b\u2060\ufeff]/)

    const list = await sendForm('/bulk', {
      list: `Target\n${typed.replace('\ufeff', '')}\n${PAGE}\n`,
      action: 'create',
    })
    assert.match(await list.text(), /In one row, invisible characters around the address were left out/)
  }
  assert.doesNotMatch(await pageAfter(await sendForm('/', { kind: 'url', target: PAGE })), SAYS)
})

test('an import names the links', async (t) => {
  const file = join(temporaryFolder(t), 'links.csv')
  writeFileSync(file, `alias,target\nhidden,${HIDDEN}\nplain,${PAGE}\n`)
  const { stdout, stderr } = await command(server.dataDir, 'import', file, '--from=csv')
  assert.match(stdout, /^2 links created/)
  assert.match(stderr, /: hidden: imported without the invisible characters around a URL$/m)
  assert.equal(await location('hidden'), PAGE)
})

test('inside a host they are refused, with the field and the character', async () => {
  const hosts: [host: string, named: string][] = [
    ['exam\u200bple.com', 'U+200B'],
    ['exam\u00adple.com', 'U+00AD'],
    ['exam\u2060ple.com', 'U+2060'],
    ['exam\ufeffple.com', 'U+FEFF'],
    ['exam\u034fple.com', 'U+034F'],
    ['exam%E2%80%8Bple.com', 'U+200B'],
    ['example.com\u200b', 'U+200B'],
    ['\u200bexample.com', 'U+200B'],
  ]
  for (const [host, named] of hosts) {
    const response = await post(`${server.url}/api/links`, { target: `https://${host}/menu` })
    const { errors } = (await response.json()) as { errors?: object[] }
    assert.equal(response.status, 400, JSON.stringify(host))
    assert.deepEqual(errors, [{ pointer: '/target', detail: `must not hold the invisible ${named} in its host` }])
  }
})

test('the joiners of a script that needs them stay in a host, and the selector of an emoji makes no other host', async () => {
  const { code } = await create(server, { target: 'https://نامه\u200cای.com/' })
  assert.equal(await location(code), 'https://xn--mgba3gch31f060k.com/')
  await create(server, { target: 'https://i\u2764\ufe0f.ws/' })
})

test('inside a path, a query and a fragment they stay, percent-encoded in the redirect', async () => {
  for (const hidden of ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u202e', '\u{e0001}']) {
    const target = `https://example.com/a${hidden}b?c=${hidden}d#e${hidden}f`
    const { code, token } = await create(server, { target })
    assert.equal((await stored(token)).target, target)
    assert.equal(await location(code), target.replaceAll(hidden, encodeURIComponent(hidden)))
  }
  const encoded = `${PAGE}%E2%80%8B`
  assert.equal(await location((await create(server, { target: encoded })).code), encoded)
})

test('whatever follows the host, it comes back as it was sent, is refused, or is said to be shortened', async () => {
  const hidden = fc.constantFrom('\u200b', '\u00ad', '\u2060', '\ufeff', '\u202a', '\u061c', '\u{e0001}')
  const part = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 4 }), hidden, fc.constantFrom('/', '?', '#', '%20'))
  await fc.assert(
    fc.asyncProperty(fc.array(hidden, { maxLength: 2 }), fc.array(part, { maxLength: 6 }), async (ahead, parts) => {
      const sent = `${ahead.join('')}https://example.com/${parts.join('')}`
      const response = await post(`${server.url}/api/links`, { target: sent })
      const body = (await response.json()) as Answer & { errors?: { pointer: string }[] }
      if (response.status === 400) return assert.equal(body.errors?.[0]?.pointer, '/target')
      const { target } = await stored(body.token)
      if (body.warnings === undefined) return assert.equal(target, sent)
      const [before = '', after = ''] = sent.split(target ?? sent)
      assert.match(before + after, /^\p{Cf}+$/u)
      assert.equal(before + target + after, sent)
    }),
    { numRuns: 200 },
  )
})
