import assert from 'node:assert/strict'
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { outcomeOf } from '../src/main.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { post, startServer, type TestServer } from './support/server.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const target = 'https://example.com/menu'
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const form = (url: string, fields: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

/** A service that asks for keys, and one key. */
async function startWithKey(t: TestContext, env: Record<string, string> = {}) {
  const server = await startServer(t, { CREATE: 'token', ...env }, () => NOW)
  const added = await command(server.dataDir, 'keys', 'add', 'shop')
  assert.equal(added.status, 0, added.stderr)
  return { ...server, key: added.stdout.trim(), added }
}

/** What creates something durable, by the API. */
const creations: [path: string, body: unknown][] = [
  ['/api/links', { target }],
  ['/api/bulk', [{ target }]],
  ['/api/bulk?dry_run=true', [{ target }]],
  ['/api/domains', { domain: 'qr.example.com' }],
  ['/api/domains', { domain: 'qr.example.com', claim: true }],
]

/** What creates something durable, by a page. */
const forms: [path: string, fields: Record<string, string>][] = [
  ['/', { kind: 'url', target }],
  ['/bulk', { list: `target\n${target}`, action: 'create' }],
  ['/domains', { name: 'qr.example.com', action: 'register' }],
  ['/domains', { name: 'qr.example.com', action: 'claim' }],
]

/** Nothing was created. */
async function assertEmpty({ services }: TestServer): Promise<void> {
  for (const table of ['links', 'domains', 'domain_claims'] as const) {
    assert.deepEqual(await services.db.read.selectFrom(table).selectAll().execute(), [], table)
  }
}

test('with CREATE=token the API creates only with a key, which is asked for before the body is read', async (t) => {
  const server = await startWithKey(t)
  for (const [path, body] of creations) {
    for (const [headers, challenge] of [
      [{}, 'Bearer realm="quirl"'],
      [bearer('x'.repeat(43)), 'Bearer realm="quirl", error="invalid_token"'],
      [bearer('shop'), 'Bearer realm="quirl", error="invalid_token"'],
    ] as const) {
      const refused = await post(server.url + path, body, headers)
      assert.equal(refused.status, 401, path)
      assert.equal(refused.headers.get('www-authenticate'), challenge)
      assert.equal(((await refused.json()) as { code: string }).code, 'key_required')
    }
  }
  const broken = await fetch(`${server.url}/api/links`, {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'a/b' },
  })
  assert.equal(broken.status, 401)
  await assertEmpty(server)
  for (const [path, body] of creations) {
    const created = await post(server.url + path, body, bearer(server.key))
    assert.ok(created.ok, `${path}: ${created.status}`)
  }
})

test('with CREATE=token pages ask for the key, which no page but that of the results has', async (t) => {
  const server = await startWithKey(t)
  for (const [path, fields] of forms) {
    const shown = await (await fetch(server.url + path)).text()
    assert.match(shown, /type="password"\s+name="creation_key"/, path)
    for (const more of [{}, { creation_key: 'x'.repeat(43) }]) {
      const refused = await form(server.url + path, { ...fields, ...more })
      assert.equal(refused.status, 401, path)
      const text = await refused.text()
      assert.match(text, /The access code of this service is needed/)
      assert.doesNotMatch(text, /x{43}/)
    }
  }
  await assertEmpty(server)
  for (const [path, fields] of forms) {
    const created = await form(server.url + path, { ...fields, creation_key: server.key })
    assert.ok([200, 201, 303].includes(created.status), `${path}: ${created.status}`)
    // Its buttons request files of the same links.
    assert.equal((await created.text()).includes(server.key), path === '/bulk', path)
  }
})

const pageOf = async (url: string) => (await fetch(url, { headers: { accept: 'text/html' } })).text()

test('where creating needs an access code, the page of the API says so, and who gives it out', async (t) => {
  const { url } = await startServer(t, { CREATE: 'token' })
  const page = await pageOf(`${url}/docs`)
  assert.match(page, /To create links you need the access code of this service, which its operator gives out\./)
  assert.match(page, /add\s+<code>-H 'Authorization: Bearer &lt;access code&gt;'<\/code> to those requests/)
  assert.doesNotMatch(await pageOf(url), /No account/)
  assert.match(
    await pageOf(`${(await startServer(t)).url}/docs`),
    /everything these pages do\. You need no account\.<\/p>/,
  )
})

test('with CREATE=closed nobody creates, pages say so, and links that exist still work', async (t) => {
  const folder = temporaryFolder(t)
  const open = await startServer(t, { DATA_DIR: folder })
  const { token } = (await (await post(`${open.url}/api/links`, { target, alias: 'menu' })).json()) as { token: string }
  await open.stop()
  const server = await startServer(t, { DATA_DIR: folder, CREATE: 'closed' })
  for (const [path, body] of creations) {
    const refused = await post(server.url + path, body, bearer('x'.repeat(43)))
    assert.equal(refused.status, 403, path)
    assert.equal(((await refused.json()) as { code: string }).code, 'creation_closed')
  }
  for (const [path, fields] of forms) {
    const german = await (await fetch(server.url + path, { headers: { 'accept-language': 'de' } })).text()
    assert.match(german, /Hier kann nichts erstellt werden/, path)
    assert.doesNotMatch(german, /name="(?:target|list|creation_key)"/, path)
    assert.equal((await form(server.url + path, fields)).status, 403, path)
  }
  const home = await pageOf(server.url)
  assert.doesNotMatch(home, /No account|press Create/)
  assert.match(home, /data-when="none">No links are kept on this device\. If you have a file with links, import it\.</)
  assert.match(
    await pageOf(`${server.url}/docs`),
    /Nothing can be created here: .*Nothing can be created on this service/s,
  )
  assert.equal((await fetch(`${server.url}/menu`, { redirect: 'manual' })).headers.get('location'), target)
  const changed = { method: 'PUT', body: '{"title":"Menu"}', headers: { 'content-type': 'application/json' } }
  assert.equal((await fetch(`${server.url}/api/manage/${token}`, changed)).status, 200)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  assert.match(metrics, /^quirl_creations_refused_total 9$/m)
})

test('a key is shown once, is not stored, has a day of last use, and creates nothing once it is removed', async (t) => {
  const { url, dataDir, key, added, services } = await startWithKey(t)
  assert.match(key, /^[\w-]{43}$/)
  assert.equal(added.stderr, 'quirl: this is the access code of shop; it is not shown again\n')
  assert.ok(!JSON.stringify(await services.db.read.selectFrom('creation_keys').selectAll().execute()).includes(key))
  assert.match((await command(dataDir, 'keys')).stdout, /\nshop +2026-11-23 12:00.* never\n$/)
  assert.equal((await post(`${url}/api/links`, { target }, bearer(key))).status, 201)
  assert.match((await command(dataDir, 'keys', 'list')).stdout, /\nshop +2026-11-23 12:00.* 2026-11-23\n$/)
  assert.match((await command(dataDir, 'keys', 'add', 'shop')).stderr, /there is an access code named shop/)
  assert.match((await command(dataDir, 'keys', 'add', '\u001b[31m')).stderr, /must be at most 100 letters/)
  assert.match((await command(dataDir, 'keys', 'find', 'shop')).stderr, /give "list", "add" and a name/)
  assert.equal((await command(dataDir, 'keys', 'remove', 'shop')).status, 0)
  assert.equal((await command(dataDir, 'keys', 'remove', 'shop')).status, 1)
  assert.equal((await post(`${url}/api/links`, { target }, bearer(key))).status, 401)
})

test('unknown keys use up the quota of wrong tokens, by the API and by pages; with CREATE=open no key is looked at', async (t) => {
  const { url, key } = await startWithKey(t, { LIMIT_MISSES: '2' })
  const wrong = 'x'.repeat(43)
  assert.equal((await post(`${url}/api/links`, { target }, bearer(wrong))).status, 401)
  assert.equal((await form(`${url}/`, { kind: 'url', target, creation_key: wrong })).status, 401)
  const refused = await post(`${url}/api/links`, { target }, bearer(wrong))
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await form(`${url}/domains`, { name: 'a.example', creation_key: wrong })).status, 429)
  assert.equal((await post(`${url}/api/links`, { target }, bearer(key))).status, 201)

  const open = await startServer(t)
  assert.equal((await post(`${open.url}/api/links`, { target }, bearer(wrong))).status, 201)
  assert.match(
    (await command(open.dataDir, 'keys', 'add', 'shop')).stderr,
    /no access code is asked for, because CREATE=open/,
  )
})

test('commands of owners send the key of --create-key, of QUIRL_CREATE_KEY, or of config.json to its server only', async (t) => {
  const { url, key } = await startWithKey(t)
  const home = temporaryFolder(t)
  const before = process.env['XDG_CONFIG_HOME']
  t.after(() => {
    delete process.env['QUIRL_CREATE_KEY']
    if (before === undefined) delete process.env['XDG_CONFIG_HOME']
    else process.env['XDG_CONFIG_HOME'] = before
  })
  process.env['XDG_CONFIG_HOME'] = home
  const shorten = (...flags: string[]) => outcomeOf(['shorten', target, `--server=${url}`, ...flags])
  assert.match((await shorten()).stderr, /the access code of this service is missing/)
  assert.match(
    (await shorten('--create-key=secret')).stderr,
    /^quirl: --create-key must be an access code of the service: 43/,
  )
  assert.equal((await shorten(`--create-key=${key}`)).status, 0)
  process.env['QUIRL_CREATE_KEY'] = key
  const file = join(home, 'rows.csv')
  writeFileSync(file, `target\n${target}\n`)
  assert.equal((await outcomeOf(['bulk', file, `--server=${url}`, `--out=${join(home, 'out.csv')}`])).status, 0)
  assert.ok(!readFileSync(join(home, 'out.csv'), 'utf8').includes(key))
  delete process.env['QUIRL_CREATE_KEY']
  mkdirSync(join(home, 'quirl'))
  const keep = (server: string) =>
    writeFileSync(join(home, 'quirl', 'config.json'), JSON.stringify({ server, createKey: key }))
  keep('https://elsewhere.example')
  assert.match((await shorten()).stderr, /the access code of this service is missing/)
  keep(url)
  assert.equal((await shorten()).status, 0)
})
