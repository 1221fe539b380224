import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { Problem } from '../src/http/problem.ts'
import { noCharge, noRoom } from '../src/lib/charged.ts'
import type { ChangeOptions } from '../src/links/change.ts'
import type { Client } from '../src/links/client.ts'
import type { OwnedLink } from '../src/links/design.ts'
import { create, put, skipUnlessOneNode, startServer } from './support/server.ts'
import { asHolder } from '../src/lib/holder.ts'

const client: Client = {
  origin: 'https://qr.example.com',
  holder: asHolder('a test'),
  charge: noCharge,
  chargeRoom: noRoom,
}
const RED = { fg: '#800000' }
const BLUE = { fg: '#000080' }

async function startWithLink(t: TestContext) {
  const server = await startServer(t)
  const { token } = await create(server, { target: 'https://example.com/', alias: 'menu' })
  const { links, db } = server.services
  const redesign = (owned: OwnedLink, design: object | null) => links.change(owned, { design }, client)
  return { ...server, token, links, db, redesign }
}

/** Counts the queries of each table from now on. */
function countReads({ db }: Awaited<ReturnType<typeof startWithLink>>): Record<string, number> {
  const reads: Record<string, number> = {}
  const read = db.read
  db.read = read.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode') {
        const [, table = ''] =
          /"identifier":\{"kind":"IdentifierNode","name":"(\w+)"/.exec(JSON.stringify(node.from)) ?? []
        reads[table] = (reads[table] ?? 0) + 1
      }
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return reads
}

test(
  'a PUT looks up its token, then reads the link, its design and its webhook once',
  { skip: skipUnlessOneNode },
  async (t) => {
    const server = await startWithLink(t)
    const { url, token } = server
    const readsOf = async (body: object) => {
      const reads = countReads(server)
      const response = await put(`${url}/api/manage/${token}`, body)
      assert.equal(response.status, 200, await response.clone().text())
      const details = (await response.json()) as { design: unknown }
      assert.deepEqual(details.design, (await server.links.readByToken(token)).design ?? null)
      return { ...reads }
    }
    const sum = (reads: Record<string, number>) => Object.values(reads).reduce((total, each) => total + each, 0)
    for (const body of [{ title: 'Menu' }, { design: RED }, { title: 'Card', design: BLUE }, { design: BLUE }, {}]) {
      // Background work, which reads as well, only adds: not each of three times.
      const reads = [await readsOf(body), await readsOf(body), await readsOf(body)]
      const fewest = reads.toSorted((a, b) => sum(a) - sum(b))[0]
      assert.deepEqual(fewest, { links: 3, designs: 2, webhooks: 2 }, 'one read of each is by this test')
    }
  },
)

describe('a change of a link that another request has changed since it was read', () => {
  test('reads the link again, and both changes are stored', async (t) => {
    const { links, token } = await startWithLink(t)
    const owned = await links.readByToken(token)
    await links.change(owned, { title: 'Theirs' }, client)
    const { link } = await links.change(owned, { campaign: 'ours' }, client)
    assert.deepEqual([link.title, link.campaign, link.revision], ['Theirs', 'ours', 3])
    assert.deepEqual((await links.readByToken(token)).link, link)
  })

  test('is refused when If-Match requires the revision that was read', async (t) => {
    const { links, token } = await startWithLink(t)
    const owned = await links.readByToken(token)
    await links.change(owned, { title: 'Theirs' }, client, { ifMatch: '"1"' })
    const refused = links.change(owned, { title: 'Ours' }, client, { ifMatch: '"1"' })
    await assert.rejects(refused, (error: Problem) => error.code === 'precondition_failed')
    assert.equal((await links.readByToken(token)).link.title, 'Theirs')
  })

  test('stores the design that was checked, also when the link had it and has another by now', async (t) => {
    const { links, token, redesign } = await startWithLink(t)
    const red = await redesign(await links.readByToken(token), RED)
    await redesign(red, BLUE)
    const changed = await links.change(red, { title: 'Menu', design: RED }, client)
    assert.deepEqual([changed.design, changed.link.revision], [RED, 4])
    assert.deepEqual(await links.readByToken(token), changed)
  })

  test('keeps the new design when it names none', async (t) => {
    const { links, token, redesign } = await startWithLink(t)
    const owned = await links.readByToken(token)
    await redesign(owned, BLUE)
    const changed = await links.change(owned, { title: 'Menu' }, client)
    assert.deepEqual(changed.design, BLUE)
    assert.deepEqual(await links.readByToken(token), changed)
  })

  test('is refused as unknown when the link was deleted', async (t) => {
    const { links, token } = await startWithLink(t)
    const owned = await links.readByToken(token)
    await links.delete(token, undefined)
    const refused = links.change(owned, { title: 'Ours' }, client)
    await assert.rejects(refused, (error: Problem) => error instanceof Problem && error.code === 'unknown_token')
  })
})

/** Changes the link of a token for a client whose charges and refunds are noted. */
async function startNoting(t: TestContext) {
  const server = await startWithLink(t)
  const { links, token, services } = server
  const noted: string[] = []
  const charge: Client['charge'] = async (name) => {
    noted.push(name)
    return async () => void noted.push(`${name} refunded`)
  }
  const change = async (body: object, options?: ChangeOptions) =>
    links.change(await links.readByToken(token), body, { ...client, charge }, options)
  return { ...server, noted, change, drawn: t.mock.method(services.qr.images, 'designed') }
}

test('a new design is drawn and charged once; one that the link already has is neither', async (t) => {
  const { noted, change, drawn } = await startNoting(t)
  await change({ design: RED })
  for (const body of [{ design: RED }, {}]) await change(body)
  assert.deepEqual([drawn.mock.callCount(), noted], [1, ['qr', 'changes']])
  await change({ design: null })
  await change({ design: BLUE })
  assert.deepEqual([drawn.mock.callCount(), noted], [2, ['qr', 'changes', 'changes', 'qr', 'changes']])
})

describe('a change of a design, a webhook and a password at once', () => {
  const webhook = { url: 'https://example.com/hook', events: ['link.changed'] }
  const body = { title: 'Menu', design: RED, webhook, password: 'correct horse' }

  test('charges the image, the webhook, the hashing and the change, in this order', async (t) => {
    const { noted, change, links, token } = await startNoting(t)
    const { link, design, webhook: set } = await change(body)
    assert.deepEqual([link.title, link.revision, design, set?.url], ['Menu', 2, RED, webhook.url])
    assert.deepEqual(noted, ['qr', 'links', 'links', 'changes'])
    assert.deepEqual((await links.readByToken(token)).link, link)
  })

  const refusals: [why: string, body: object, options: ChangeOptions][] = [
    ['another revision is required', body, { ifMatch: '"7"' }],
    ['a field is invalid', { ...body, title: 7 }, {}],
    ['the password is too short', { ...body, password: 'short' }, {}],
  ]
  for (const [why, refused, options] of refusals) {
    test(`hashes nothing and refunds the webhook, but not the image, when ${why}`, async (t) => {
      const { noted, change, links, token, services } = await startNoting(t)
      const hashed = t.mock.method(services.links.passwords, 'hash')
      const before = await links.readByToken(token)
      await assert.rejects(change(refused, options), Problem)
      assert.deepEqual([noted, hashed.mock.callCount()], [['qr', 'links', 'links refunded'], 0])
      assert.deepEqual(await links.readByToken(token), before)
    })
  }

  test('charges the image alone when whoever saw the design does not approve of it', async (t) => {
    const { noted, change, links, token, drawn } = await startNoting(t)
    const before = await links.readByToken(token)
    const approve = (design: object | null) =>
      assert.deepEqual([design, drawn.mock.callCount()], [BLUE, 1], 'not this one')
    await assert.rejects(change(body, { approve }), /not this one/)
    assert.deepEqual([noted, await links.readByToken(token)], [['qr'], before])
  })
})

test(
  'of many changes of one link at the same time, none starts over again and again',
  { skip: skipUnlessOneNode },
  async (t) => {
    const setting = await startWithLink(t)
    const { links, token } = setting
    const [owned, count] = [await links.readByToken(token), 64]
    const reads = countReads(setting)
    const changed = await Promise.all(
      Array.from({ length: count }, (_, at) => links.change(owned, { title: `Title ${at}` }, client)),
    )
    assert.deepEqual(
      changed.map(({ link }) => link.revision),
      changed.map((_, at) => owned.link.revision + 1 + at),
    )
    assert.ok((reads['links'] ?? 0) < count, JSON.stringify(reads))
  },
)
