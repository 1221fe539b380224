import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { command } from './support/cli.ts'
import { create, details, manage, post, skipUnlessOneNode, startServer, type Created } from './support/server.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 27, 9, 30)
const target = 'https://example.com/menu'

async function start(t: TestContext) {
  const clock = { now: START }
  const server = await startServer(t, {}, () => clock.now)
  /** Gives out a new token of a link. */
  const rekey = async (code: string, ...flags: string[]): Promise<Pick<Created, 'token'>> => {
    const { status, stdout, stderr } = await command(server.dataDir, 'rekey', code, ...flags)
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^[\w-]+ has a new private address/)
    return { token: /\/m\/([\w-]{43})$/m.exec(stdout)?.[1] ?? '' }
  }
  const statusOf = async (link: Pick<Created, 'token'>) => (await fetch(manage(server, link))).status
  return { server, clock, rekey, statusOf }
}

interface Rekeyed {
  rekeyed_at?: string
}

test(
  'the operator gives out a new token, and the old one ends as after a rotation',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, clock, rekey, statusOf } = await start(t)
    const [used, unused] = [await create(server, { target }), await create(server, { target })]
    const next = await rekey(used.code)
    assert.equal(await statusOf(used), 200, 'until the new one is used')
    assert.equal(await statusOf(next), 200)
    assert.equal(await statusOf(used), 404)

    const other = await rekey(unused.code)
    clock.now += HOUR - 1
    assert.equal(await statusOf(unused), 200)
    clock.now += 1
    assert.equal(await statusOf(unused), 404, 'and no longer than an hour')
    assert.equal(await statusOf(other), 200)
  },
)

test(
  'the page and the details of the link say that the operator did it and when, until its owner has another token',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, clock, rekey } = await start(t)
    const link = await create(server, { target })
    assert.equal('rekeyed_at' in (await details(server, link)), false)
    const next = await rekey(link.code)
    const pageOf = async ({ token }: Pick<Created, 'token'>, language: string) =>
      (await fetch(`${server.url}/m/${token}`, { headers: { 'accept-language': language } })).text()
    const at = new Date(START).toISOString()
    for (const token of [link, next]) {
      assert.equal((await details<Rekeyed>(server, token)).rekeyed_at, at)
      assert.match(await pageOf(token, 'en'), /the operator of this service gave out a new private address/)
      assert.match(await pageOf(token, 'de'), /hat der Betreiber dieses Dienstes eine neue private Adresse/)
      // The next one ends it.
      if (token === link) continue
      clock.now += HOUR
      const own = (await (await post(manage(server, next, '/rotate'), {})).json()) as Created
      assert.equal((await details<Rekeyed>(server, own)).rekeyed_at, undefined)
      assert.doesNotMatch(await pageOf(own, 'en'), /gave out a new private address/)
    }
  },
)

test(
  'an owner who still has the old token makes the one of the operator void',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, clock, rekey, statusOf } = await start(t)
    const link = await create(server, { target })
    const given = await rekey(link.code)
    clock.now += 1
    const own = (await (await post(manage(server, link, '/rotate'), {})).json()) as Created
    assert.equal(await statusOf(given), 404)
    assert.equal((await details<Rekeyed>(server, own)).rekeyed_at, undefined)
  },
)

test('it ends every membership, and nothing that had ended begins again', { skip: skipUnlessOneNode }, async (t) => {
  const { server, clock, rekey, statusOf } = await start(t)
  const link = await create(server, { target })
  const { token } = (await (await post(`${server.url}/api/collections`, {})).json()) as Created
  const join = (tokens: string[]) => post(`${server.url}/api/collections/${token}/links`, { tokens })
  const inCollection = async () => (await fetch(`${server.url}/api/collections/${token}/links/${link.code}`)).status
  await join([link.token])
  // A rotation whose token nobody has used.
  await post(manage(server, link, '/rotate'), {})
  clock.now += HOUR
  assert.deepEqual([await statusOf(link), await inCollection()], [404, 404])
  const next = await rekey(link.code)
  assert.deepEqual([await statusOf(link), await inCollection()], [404, 404])
  await join([next.token])
  assert.equal(await inCollection(), 200)
  const last = await rekey(link.code)
  assert.equal(await statusOf(last), 200)
  assert.equal(await inCollection(), 404)
})

test(
  'it is in the audit log with its reason, and only for links that there are',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, rekey } = await start(t)
    const link = await create(server, { target, alias: 'Menu' })
    await rekey('menu', '--reason=lost their phone')
    await rekey(link.short_url)
    const { stdout } = await command(server.dataDir, 'audit')
    assert.match(stdout, /rekey +Menu +operator +lost their phone/)
    assert.doesNotMatch(stdout, new RegExp(link.token))
    const unknown = await command(server.dataDir, 'rekey', 'nothing')
    assert.deepEqual([unknown.status, /no link has the code nothing/.test(unknown.stderr)], [1, true])
    const host = await command(server.dataDir, 'rekey', 'example.com')
    assert.deepEqual([host.status, /must be a code/.test(host.stderr)], [1, true])
    await fetch(`${manage(server, link)}?undo=true`, { method: 'DELETE' })
    const deleted = await command(server.dataDir, 'rekey', 'menu')
    assert.deepEqual([deleted.status, /was deleted by its owner/.test(deleted.stderr)], [1, true])
  },
)
