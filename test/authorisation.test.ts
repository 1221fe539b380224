// Who may do what: each operation of the OpenAPI document, and each page with a token in its address, with each credential. Rules say
// what is expected, so that a new route is tested without a change here, or fails because no rule says whose token it takes.
import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { linkTables } from '../src/links/link-data.ts'
import { endOfFile } from './support/cleanup.ts'
import { readOperations, type Operation } from './support/contract.ts'
import { createCredentials, type Credential, type Owned, type Owner } from './support/credentials.ts'
import { put, startServer, type TestServer } from './support/server.ts'
import { createSubjects, requestOf, validRequests, type Subjects, type Valid } from './support/valid-requests.ts'

/** Every route that the service registers, those that only say 405 included. */
const routes = new Map<string, { method: string; url: string }>()
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.set(`${each} ${url}`, { method: each, url })
  })
})

/** Whose token it is that a path takes, by its first words. A path with a token that is not here fails. */
const takers: Record<string, Owned> = {
  '/api/manage': 'link',
  '/api/share': 'share',
  '/api/collections': 'collection',
  '/api/domains': 'domain',
  '/m': 'link',
  '/s': 'share',
  '/c': 'collection',
}

function takenBy(path: string): Owned {
  const found = Object.entries(takers).find(([start]) => path === start || path.startsWith(`${start}/`))
  if (found === undefined) assert.fail(`no rule says whose token ${path} takes`)
  return found[1]
}

/** A way to send the token of an operation. */
interface Way {
  operation: Operation
  path: string
  by: 'path' | 'header'
}

/** By the path, where it has the token, and by the header; what is documented by header only has the token of a domain. */
function waysOf(operation: Operation): Way[] {
  const { path, takesBearer } = operation
  if (path.includes('{token}')) {
    const byHeader = path.replace('/{token}', '')
    return [
      { operation, path, by: 'path' },
      { operation, path: byHeader, by: 'header' },
    ]
  }
  return takesBearer ? [{ operation, path, by: 'header' }] : []
}

const end = endOfFile()
let server: TestServer
let operations: Operation[]
let subjects: Subjects
let owner: Owner
/** The valid request of each operation, some of which are about links of their own. */
const valid = new Map<string, Valid>()
before(async () => {
  server = await startServer(end)
  operations = await readOperations(server.url)
  subjects = await createSubjects(server)
  for (const [id, given] of Object.entries(validRequests(subjects)))
    valid.set(id, typeof given === 'function' ? await given() : given)
  owner = await createCredentials(server, 'owned')
})

interface Answer {
  status: number
  code: string | undefined
}

async function ask(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(server.url + path, { ...init, redirect: 'manual' })
  // A stream would not end by itself.
  if (response.status < 400) await response.body?.cancel()
  const text = response.status < 400 ? '' : await response.text()
  return { status: response.status, code: /"code":"(\w+)"/.exec(text)?.[1] }
}

/** A valid request of an operation, but with this credential, and about the owner's link. */
function requestWith({ operation, path, by }: Way, { token }: Credential) {
  const { link, shareId, having } = owner
  const given = { ...valid.get(operation.id), path: { code: link.code, id: shareId, domain: owner.domain } }
  const request = requestOf({ ...operation, path }, { ...given, token: () => token ?? '' }, subjects)
  // The path decides, and the collection of a creation opens nothing.
  const authorization = by === 'path' ? link.token : token
  const { authorization: _own, ...headers } = request.headers
  return {
    path: request.path,
    init: {
      method: request.method,
      ...(request.body !== undefined && { body: request.body }),
      headers: {
        ...headers,
        ...(authorization !== undefined && { authorization: `Bearer ${authorization}` }),
        'quirl-collection': having,
      },
    },
  }
}

const unknown: Record<Owned, string> = {
  link: 'unknown_token',
  share: 'unknown_token',
  collection: 'collection_not_found',
  domain: 'unknown_domain',
}

/** Why a credential may not do what an operation does; undefined when it may. */
function refusalOf({ path, operation }: Way, { token, opens, works, hasLink }: Credential): string | undefined {
  const taker = takenBy(path)
  if (token === undefined && taker !== 'domain') return 'unknown_token'
  if (opens !== taker || !works) return unknown[taker]
  // What a path names below its token has to be of what the token opens.
  if (path.includes('{code}') && !hasLink)
    return operation.id === 'leaveCollection' ? 'unknown_code' : 'collection_not_found'
  return path.includes('{id}') && !hasLink ? 'unknown_share' : undefined
}

/** All that a refused request must not change. */
async function stored(): Promise<unknown> {
  const { db } = server.services
  const tables = ['links', 'collections', 'looks', 'domains', ...linkTables] as const
  const read = async (table: (typeof tables)[number]) => db.read.selectFrom(table).selectAll().execute()
  // PostgreSQL returns rows in any order.
  const sorted = async (table: (typeof tables)[number]) =>
    (await read(table)).map((row) => JSON.stringify(Object.entries(row).sort())).sort()
  return Promise.all(tables.map(async (table) => [table, await sorted(table)]))
}

/** Runs checks, some at a time, and fails with all that they find. */
async function checkAll(checks: (() => Promise<string | undefined>)[]): Promise<void> {
  const faults: string[] = []
  const left = checks.values()
  const work = async () => {
    for (const check of left) faults.push((await check()) ?? '')
  }
  await Promise.all(Array.from({ length: 8 }, work))
  assert.equal(faults.length, checks.length)
  assert.equal(faults.filter((fault) => fault !== '').join('\n'), '')
}

test('every operation with a token refuses each credential that is not its own, in the path and in the header, and changes nothing', async () => {
  const ways = operations.flatMap(waysOf)
  const pairs = ways.flatMap((way) => owner.credentials.map((credential) => ({ way, credential })))
  const refused = pairs.filter(
    ({ way, credential }) =>
      refusalOf(way, credential) !== undefined && (way.by === 'header' || credential.token !== undefined),
  )
  const before = await stored()
  await checkAll(
    refused.map(({ way, credential }) => async () => {
      const { path, init } = requestWith(way, credential)
      const expected = refusalOf(way, credential)
      const { status, code } = await ask(path, init)
      if (status === 404 && code === expected) return undefined
      return `${init.method} ${way.path} by ${way.by} with ${credential.name}: ${status} ${code}, not 404 ${expected}`
    }),
  )
  assert.deepEqual(await stored(), before)
  assert.ok(refused.length > 10 * ways.length, `${refused.length} requests`)
})

test('each operation with a token does what it says for whom it belongs to, in the path and in the header', async () => {
  // In the order in which each succeeds.
  for (const [id, given] of Object.entries(validRequests(subjects))) {
    const operation = operations.find((each) => each.id === id) as Operation
    for (const { path, by } of waysOf(operation)) {
      // What follows is about a link, a share or a domain that is gone, when the first way has taken it.
      if (by === 'header' && typeof given !== 'function' && operation.method !== 'GET') continue
      const of = typeof given === 'function' ? await given() : given
      const { path: sent, headers, ...init } = requestOf({ ...operation, path }, of, subjects)
      const { authorization: _sent, ...others } = headers
      const { status, code } = await ask(sent, { ...init, headers: by === 'header' ? headers : others })
      assert.equal(status, of.status ?? 200, `${operation.method} ${path} by ${by}: ${status} ${code}`)
    }
  }
})

test('no route of the API is missing in the OpenAPI document, but for the same ones with the token in the header', async () => {
  const described = operations.map(({ method, path }) => `${method} ${path}`)
  const twins = operations.flatMap((operation) => waysOf(operation).map(({ path }) => `${operation.method} ${path}`))
  const known = new Set([...described, ...twins])
  const others = [...routes.values()]
    .map(({ method, url }) => ({ method, path: url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, '{$1}') }))
    .filter(({ method, path }) => path.startsWith('/api/') && /^(?:GET|POST|PUT|DELETE)$/.test(method))
    .filter(({ method, path }) => !known.has(`${method} ${path}`))
  assert.ok(others.length > 50, `${others.length} routes`)
  const { link, having } = owner
  await checkAll(
    others.map(({ method, path }) => async () => {
      const token = path.startsWith('/api/collections') ? having : link.token
      const filled = path.replace('{token}', token).replace('{code}', link.code)
      const { status } = await ask(filled, { method, headers: { authorization: `Bearer ${token}` } })
      return status === 405 ? undefined : `${method} ${path} is not described, and answers ${status}`
    }),
  )
})

test('every page with a token in its address is shown for that kind of token only', async () => {
  const pages = [...routes.values()].filter(({ url }) => url.includes('/:token') && !url.startsWith('/api/'))
  const asked = pages.filter(({ method }) => method === 'GET' || method === 'POST')
  for (const { token, opens, works } of owner.credentials)
    if (opens === 'collection' && works && token !== undefined)
      await put(`${server.url}/api/collections/${token}`, { looks: { x: { fg: '#123456' } } })
  const before = await stored()
  await checkAll(
    asked.flatMap(({ method, url }) =>
      owner.credentials.map((credential) => async () => {
        const { token, opens, works, hasLink } = credential
        const taker = takenBy(url)
        const isOwn = opens === taker && works && (hasLink || !url.includes('/:code'))
        // A form of the owner changes the link; other tests send it.
        if (token === undefined || (isOwn && method === 'POST')) return undefined
        const filled = { token, code: owner.link.code, file: 'device.csv' }
        const path = url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_all, name: keyof typeof filled) => filled[name] ?? 'x')
        const form = { body: 'action=delete&links=true&confirm=yes' }
        const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
        const { status } = await ask(path, { method, ...(method === 'POST' && { ...form, headers }) })
        // A segment without the form that a page asks for may be a file of a link, whose alias is the page's first word.
        // A file is sent to that address, and nothing is shown there.
        const shown = url.endsWith('/links.csv') ? 405 : 200
        if (isOwn ? status === shown : [404, 405].includes(status)) return undefined
        return `${method} ${url} with ${credential.name}: ${status}`
      }),
    ),
  )
  assert.deepEqual(await stored(), before)
})

/** Where the schema of a body has tokens of links. */
function hasLinkTokens(schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object') return false
  const { properties } = schema as { properties?: object }
  const names = Object.keys(properties ?? {})
  return names.includes('token') || names.includes('tokens') || Object.values(schema).some(hasLinkTokens)
}

test('a body that names links by their tokens finds none by any other credential', async () => {
  const taking = operations.filter(({ body }) => hasLinkTokens(body))
  assert.ok(taking.length > 2)
  const before = await stored()
  const others = owner.credentials.filter(
    ({ opens, works, token }) => token !== undefined && !(opens === 'link' && works),
  )
  await checkAll(
    taking.flatMap((operation) =>
      others.map(({ name, token = '' }) => async () => {
        const given = valid.get(operation.id) as Valid
        // Of the two rows of each, one has the token of a link, and the other none.
        const text = JSON.stringify(given.body).replaceAll(/"(?:x|[\w-]{43})"/g, JSON.stringify(token))
        const { path, ...init } = requestOf(operation, { ...given, body: JSON.parse(text) }, subjects)
        const response = await fetch(server.url + path, init)
        const answer = (await response.json()) as Record<string, unknown>
        const rows = (answer['results'] ?? answer['links'] ?? [answer]) as { code?: string; error?: { code: string } }[]
        const codes = [...new Set(rows.map((row) => row.error?.code ?? row.code))]
        const isRefused = codes.every((code) => code === 'unknown_token' || code === 'nothing_changed')
        return isRefused ? undefined : `${operation.id} with ${name}: ${response.status} ${codes.join()}`
      }),
    ),
  )
  assert.deepEqual(await stored(), before)
})

test('the header Quirl-Collection takes the token of a collection that works, and no other', async () => {
  const creating = operations.filter(
    ({ path, parameters, takesBearer }) =>
      parameters.some(({ name }) => name === 'quirl-collection') &&
      !path.startsWith('/api/manage') &&
      !path.includes('{token}') &&
      !takesBearer,
  )
  assert.ok(creating.length > 1)
  await checkAll(
    creating.flatMap((operation) =>
      owner.credentials.map(({ name, token = '', opens, works }) => async () => {
        const body =
          operation.id === 'createLinks' ? [{ target: 'https://example.com/' }] : { target: 'https://example.com/' }
        const { path, ...init } = requestOf(operation, { body }, subjects)
        const { status, code } = await ask(path, { ...init, headers: { ...init.headers, 'quirl-collection': token } })
        const expected = opens === 'collection' && works ? 201 : 404
        if (status === expected && (status === 201 || code === 'collection_not_found')) return undefined
        return `${operation.id} with ${name} in Quirl-Collection: ${status} ${code}, not ${expected}`
      }),
    ),
  )
})

test('of a link that can be brought back, nobody gets anything but that, through its own token or a collection', async () => {
  const { link, having } = await createCredentials(server, 'deleted')
  await fetch(`${server.url}/api/manage/${link.token}?undo=true`, { method: 'DELETE' })
  // These two end what the deletion has left: it is brought back, or deleted for good.
  const ending = /^(?:undelete|deleteLink)/
  const ways = operations
    .filter(({ id }) => !ending.test(id))
    .flatMap(waysOf)
    .filter(({ path }) => path.startsWith('/api/manage') || path.includes('{code}'))
  const before = await stored()
  await checkAll(
    ways.map((way) => async () => {
      const { operation, path, by } = way
      const token = path.startsWith('/api/manage') ? link.token : having
      const given = { ...valid.get(operation.id), path: { code: link.code, id: 'x' }, token: () => token }
      const { path: sent, ...init } = requestOf({ ...operation, path }, given, subjects)
      const { status, code } = await ask(sent, init)
      // Whoever only takes it out of the collection asks for a link that is not there.
      const expected = operation.id === 'leaveCollection' ? 'unknown_code' : 'link_deleted'
      return code === expected ? undefined : `${operation.method} ${path} by ${by}: ${status} ${code}, not ${expected}`
    }),
  )
  assert.deepEqual(await stored(), before)
})
