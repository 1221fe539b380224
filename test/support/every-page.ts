// Every page of the service, with and without data, and how it shows what is wrong.
import { sql } from '#kysely'
import { kinds } from '../../src/links/kinds/index.ts'
import { createBlocked } from './blocked-links.ts'
import type { Ending } from './cleanup.ts'
import { startDns } from './dns.ts'
import { cheapScrypt } from './passwords.ts'
import { randomFrom } from './random.ts'
import { seedScans } from './seeded-scans.ts'
import { create, post, put, startServer, type Created, type TestServer } from './server.ts'

/** Requests an address of the service as a browser does: by GET, or by POST with the fields of a form. */
export type Ask = (path: string, form?: Record<string, string>) => Promise<Response>

export interface SeededPages {
  server: TestServer
  /** The addresses of pages of the service, with the status of each. */
  addresses: [path: string, status: number][]
  /** The addresses of visitors, to whom the service itself is nothing. */
  visits: [path: string, status: number][]
  /** What forms are answered with. Each is sent to a link of its own. */
  forms: { name: string; status: number; send: (ask: Ask) => Promise<Response> }[]
}

/** Texts of owners are in no language. */
const TARGET = 'https://example.com/xyzzy'
const PAGE = { kind: 'page', headline: 'Xyzzy', links: [{ label: 'Plugh', url: TARGET }] }
const CARD = { kind: 'vcard', firstName: 'Zzyx', phone: '+49 30 1', email: 'a@example.com', website: TARGET }
const EVENT = {
  kind: 'event',
  summary: 'Xyzzy',
  start: '2027-06-12T14:00+02:00',
  timezone: 'Europe/Berlin',
  url: TARGET,
}
const RULES = [
  { when: { country: ['DE', 'FR'], language: ['pt'], device: ['mobile'] }, then: { target: 'https://example.org/' } },
  { when: { weekdays: ['mon', 'tue'], hours: ['18:00-02:00'], timezone: 'Europe/Berlin' }, then: { target: TARGET } },
  { when: { from: '2030-01-01T00:00:00Z', percent: 20, after_scans: 9 }, then: { ended: 'Xyzzy plugh' } },
]
const UNKNOWN = 'x'.repeat(43)

export async function seedPages(end: Ending): Promise<SeededPages> {
  const { address } = await startDns(end, { 'hook.example.com': { a: ['192.0.2.1'] } })
  const env = { CONTACT: 'abuse@example.com', DNS_SERVERS: address, BASE_URL: 'http://go.example.com' }
  const server = await startServer(end, env, undefined, { scrypt: cheapScrypt })
  const owned = await seedOwned(server)
  await seedVisits(server)
  await post(`${server.url}/api/domains`, { domain: 'qr.example.com' })
  return { server, addresses: addressesOf(owned), visits, forms: formsOf(server) }
}

/** Links whose owners look at them. */
async function seedOwned(server: TestServer): Promise<Record<string, string>> {
  const seeded: Record<string, string> = {}
  const add = async (alias: string, body: object) => {
    const link = await create(server, { alias, ...body })
    seeded[alias] = `/m/${link.token}`
    return link
  }
  await add('fresh', { target: TARGET })
  await add('leaf', PAGE)
  await add('placed', { target: TARGET, placements: [{ id: 'xyzzy', name: 'Xyzzy' }, { id: 'plugh' }] })
  await add('card', CARD)
  await add('event', EVENT)
  await add('forapps', { kind: 'appstore', ios: TARGET, fallback: TARGET })
  await add('ruled', { target: TARGET, rules: RULES })
  await server.services.db.write.updateTable('links').set({ rekeyed_at: Date.now() }).execute()
  await add('locked', { target: TARGET, password: 'correct horse battery' })
  const rich = await add('rich', { target: TARGET, title: 'Xyzzy', campaign: 'Plugh', utm: { utm_source: 'x' } })
  for (const change of [{ target: `${TARGET}/2` }, { rules: RULES }, { active: false }, { active: true, title: null }])
    await put(manage(server, rich), change)
  const webhook = { url: 'https://hook.example.com/', events: ['scans.milestone'] }
  await put(manage(server, rich), { webhook })
  await seedScans(server, rich, { now: Date.now(), days: 40, perDay: 12, random: randomFrom(1) })
  const share = async (link: Created, body: object) => {
    const made = (await (await post(`${manage(server, link)}/share`, body)).json()) as { share_token: string }
    return `/s/${made.share_token}`
  }
  const collection = await collect(server)
  await put(`${server.url}/api/collections/${collection}`, { webhook })
  seeded['collection'] = `/c/${collection}`
  seeded['collected'] = `/c/${collection}/collected`
  seeded['emptyCollection'] = `/c/${await openCollection(server, {})}`
  await post(`${server.url}/api/collections/${collection}/links`, { tokens: [rich.token] })
  seeded['share'] = await share(rich, { name: 'Xyzzy', csv: true, destination: true })
  const paused = await add('stopped', { target: TARGET })
  seeded['pausedShare'] = await share(paused, {})
  await put(manage(server, paused), { active: false })
  await fetch(`${manage(server, await add('binned', { target: TARGET }))}?undo=true`, { method: 'DELETE' })
  return seeded
}

async function openCollection(server: TestServer, body: object): Promise<string> {
  return ((await (await post(`${server.url}/api/collections`, body)).json()) as Pick<Created, 'token'>).token
}

/** A collection with links of several campaigns and states. */
async function collect(server: TestServer): Promise<string> {
  const token = await openCollection(server, { name: 'Xyzzy' })
  const inside = { 'quirl-collection': token }
  await create(server, { alias: 'collected', target: TARGET, title: 'Xyzzy', campaign: 'Plugh' }, inside)
  await create(server, { alias: 'uncampaigned', target: TARGET }, inside)
  const paused = await create(server, { alias: 'collected-paused', target: TARGET, campaign: 'Plugh' }, inside)
  await put(manage(server, paused), { active: false })
  return token
}

/** Links whose visitors read something. */
async function seedVisits(server: TestServer): Promise<void> {
  const rule = (then: object, when: object = {}) => [{ when, then }]
  await create(server, { target: TARGET, alias: 'over', rules: rule({ ended: 'Xyzzy' }) })
  await create(server, {
    target: TARGET,
    alias: 'early',
    rules: rule({ ended: 'Xyzzy' }, { until: '2999-01-01T00:00:00Z' }),
  })
  const deleted = await create(server, { target: TARGET, alias: 'deleted' })
  await fetch(manage(server, deleted), { method: 'DELETE' })
  await createBlocked(server, TARGET)
  for (const [alias, body] of [
    ['warned', { target: TARGET }],
    ['warned-leaf', PAGE],
  ] as const) {
    await create(server, { alias, ...body })
    await server.services.abuse.operations['warn']?.({ subject: alias, reason: 'Xyzzy' })
  }
  const broken = await create(server, { target: TARGET, alias: 'broken' })
  await sql`update links set utm = 'not json' where code = ${broken.code}`.execute(server.services.db.write)
}

const manage = ({ url }: TestServer, { token }: Pick<Created, 'token'>) => `${url}/api/manage/${token}`

const visits: SeededPages['visits'] = [
  ['/leaf', 200],
  ['/card', 200],
  ['/event', 200],
  ['/locked', 200],
  ['/over', 410],
  ['/early', 410],
  ['/stopped', 404],
  ['/never-was', 404],
  ['/deleted', 410],
  ['/removed', 410],
  ['/ordered', 451],
  ['/warned', 200],
  ['/warned-leaf', 200],
  ['/broken', 500],
]

function addressesOf(owned: Record<string, string>): SeededPages['addresses'] {
  const { binned = '', ...stored } = owned
  const { rich = '', ruled = '', share = '', fresh = '', collection = '', collected = '', placed = '' } = stored
  // A page without it has the time of its making, in which no two are alike.
  const since = `since=${Date.now()}`
  const shown = [
    '/',
    ...kinds.slice(1).map(({ name }) => `/?kind=${name}`),
    '/bulk',
    '/domains',
    '/docs',
    '/privacy',
    '/report',
    '/report?code=rich',
    '/domains?name=qr.example.com',
    '/rich+',
    '/leaf+',
    '/locked+',
    '/ruled+',
    '/warned+',
    ...Object.values(stored),
    `${fresh}?created`,
    `${collected}?created`,
    `${collection}?campaign=Plugh&sort=scans`,
    `${collection}?q=xyzzy-plugh&state=removed`,
    `${collection}?changed`,
    `${collection}?view=detail&days=90&campaign=Plugh&tz=UTC&list=link`,
    `${placed}/placements`,
    `${placed}/print?paper=tent-a4&style=loud&placement=plugh`,
    `${rich}/print`,
    `${collected}/print?paper=sticker-50-round&text=Xyzzy&address=0`,
    `${placed}/try?placement=xyzzy&mm=15&${since}`,
    `${rich}/try?${since}`,
    `${stored['locked']}/try?${since}`,
    `${stored['stopped']}/try?${since}`,
    `${collected}/try?${since}`,
    `${fresh}?created&trimmed`,
    `${fresh}?changed`,
    `${fresh}?undeleted`,
    `${rich}?designed`,
    `${rich}?reverted`,
    `${ruled}?rule=new`,
    `${ruled}?rule=1`,
    `${ruled}?rule=2`,
    `${ruled}?rule=3`,
    `${rich}?days=1&audience=all&tz=Asia/Kolkata`,
    `${rich}?days=365&audience=bot&tz=UTC`,
    `${share}?days=7&audience=human&tz=Europe/Berlin`,
    `${share}?days=365&audience=all&tz=UTC`,
    `${rich}?view=detail&days=90&interval=week&compare=year&tz=UTC&list=city&search=a`,
    `${share}?view=detail&from=2025-01-01&interval=month&tz=UTC&device=mobile&country=~`,
  ]

  const faulty: [string, number][] = [
    [`${rich}/print?paper=sticker-50&title=${'x'.repeat(190)}`, 400],
    [`${rich}/print?title=${'x'.repeat(201)}`, 400],
    [`/m/${UNKNOWN}/print`, 404],
    [`/m/${UNKNOWN}`, 404],
    [`/m/${UNKNOWN}/try`, 404],
    [`${binned}/try`, 410],
    [binned, 410],
    [`/s/share_${UNKNOWN}`, 404],
    [`/c/collection_${UNKNOWN}`, 404],
    [`${collection}/never-was`, 404],
    ['/never-was+', 404],
    ['/no/such/page', 404],
    ['/domains?name=other.example.com', 404],
    ['/domains?name=-', 404],
  ]
  return [...shown.map((path): [string, number] => [path, 200]), ...faulty]
}

/** A form of the owner's page, for a new link. */
function ownersForm(
  server: TestServer,
  values: Record<string, string>,
  { body = { target: TARGET }, isDeleted = false }: { body?: object; isDeleted?: boolean } = {},
) {
  return async (ask: Ask) => {
    const { code, token } = await create(server, body)
    if (isDeleted) await fetch(`${manage(server, { token })}?undo=true`, { method: 'DELETE' })
    return ask(
      `/m/${token}`,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.replace('{code}', code)])),
    )
  }
}

/** A form of the page of a new collection with a new link. */
function collectionForm(server: TestServer, values: Record<string, string>) {
  return async (ask: Ask) => {
    const token = await openCollection(server, {})
    const { code } = await create(server, { target: TARGET }, { 'quirl-collection': token })
    const entries = Object.entries(values).map(([name, value]) => [name, value.replace('{code}', code)])
    return ask(`/c/${token}`, Object.fromEntries(entries))
  }
}

function formsOf(server: TestServer): SeededPages['forms'] {
  const collected = (values: Record<string, string>) => collectionForm(server, values)
  const form =
    (path: string, values: Record<string, string>) =>
    (ask: Ask): Promise<Response> =>
      ask(path, values)
  const owner = (values: Record<string, string>, body?: object) => ownersForm(server, values, { ...(body && { body }) })
  const deleted = (values: Record<string, string>) => ownersForm(server, values, { isDeleted: true })
  const LONG = 'x'.repeat(2_001)
  const all: [name: string, status: number, send: (ask: Ask) => Promise<Response>][] = [
    ['an empty link', 400, form('/?create', { kind: 'url' })],
    ['a faulty address and code', 400, form('/?create', { kind: 'url', target: 'http://127.0.0.1/', alias: '!' })],
    ['a taken code', 409, form('/?create', { kind: 'url', target: TARGET, alias: 'rich' })],
    ['an empty page', 400, form('/?create', { kind: 'page' })],
    ['an empty contact', 400, form('/?create', { kind: 'vcard' })],
    ['no app', 400, form('/?create', { kind: 'appstore' })],
    [
      'a period that ends first',
      400,
      form('/?create', {
        kind: 'url',
        target: TARGET,
        starts_on: '2030-02-01',
        ends_on: '2030-01-01',
        timezone: 'UTC',
      }),
    ],
    ['an empty list', 400, form('/bulk', { list: '', action: 'check' })],
    ['a list with faults', 200, form('/bulk', { list: `${TARGET}\nxyzzy plugh\nhttp://127.0.0.1/`, action: 'check' })],
    ['a faulty list', 400, form('/bulk', { list: 'target\n"', action: 'check' })],
    ['a created list', 200, form('/bulk', { list: TARGET, action: 'create', idempotency_key: 'k1' })],
    ['a list created in part', 200, form('/bulk', { list: `${TARGET}\nno`, action: 'create', idempotency_key: 'k2' })],
    ['a sheet', 200, form('/bulk', { list: TARGET, action: 'sheet', idempotency_key: 'k3' })],
    ['a faulty name', 400, form('/domains', { action: 'register', name: 'not a name' })],
    [
      'a registered name',
      201,
      (ask) => ask('/domains', { action: 'register', name: `n${Math.random().toString(36).slice(2)}.example.org` }),
    ],
    ['a name that another has', 200, form('/domains', { action: 'register', name: 'qr.example.com' })],
    ['a wrong key of a name', 404, form('/domains', { action: 'remove', name: 'qr.example.com', token: 'x' })],
    ['an empty report', 400, form('/report', {})],
    ['a report of no link', 400, form('/report', { code: TARGET, reason: 'spam' })],
    ['a report', 200, form('/report', { code: 'rich', reason: 'spam', details: 'Xyzzy' })],
    ['a faulty destination', 400, owner({ action: 'lead', target: 'http://127.0.0.1/', revision: '1' })],
    ['a late change', 412, owner({ action: 'change', target: 'https://example.com/', title: 'Xyzzy', revision: '9' })],
    ['a faulty page', 400, owner({ action: 'change', headline: '', revision: '1' }, PAGE)],
    [
      'a faulty rule',
      400,
      owner({ action: 'rule', country: 'Xyzzy', language: 'Xyzzy', hours: '9', percent: '0', revision: '1' }),
    ],
    ['a faulty design', 400, owner({ action: 'design', frame_text: LONG, color: 'x' })],
    ['a short password', 400, owner({ action: 'password', password: 'x' })],
    ['a long name of a share', 400, owner({ action: 'share', name: LONG })],
    ['a share', 200, owner({ action: 'share', name: 'Xyzzy' })],
    ['a faulty webhook', 400, owner({ action: 'webhook', webhook_url: 'http://127.0.0.1/' })],
    ['long names', 400, owner({ action: 'names', title: LONG, campaign: LONG, revision: '1' })],
    ['no consent to a new key', 400, owner({ action: 'key' })],
    ['a new key', 200, owner({ action: 'key', sure: 'yes' })],
    ['a wrong code to delete', 400, owner({ action: 'delete', code: 'Xyzzy' })],
    ['a form of a deleted link', 410, deleted({ action: 'pause' })],
    ['a deletion for good', 200, deleted({ action: 'delete-for-good' })],
    ['a faulty link of a collection', 400, collected({ action: 'create', target: 'http://127.0.0.1/' })],
    ['no address to add', 400, collected({ action: 'join', tokens: ' ' })],
    ['a wrong address to add', 400, collected({ action: 'join', tokens: 'xyzzy' })],
    ['a long name of a collection', 400, collected({ action: 'rename', name: LONG })],
    ['a faulty webhook of a collection', 400, collected({ action: 'webhook', webhook_url: 'http://127.0.0.1/' })],
    ['no webhook of a collection to renew', 412, collected({ action: 'webhook-secret' })],
    ['a new key of a collection', 200, collected({ action: 'rotate' })],
    ['no consent to the end of a collection', 400, collected({ action: 'end' })],
    ['the end of a collection', 200, collected({ action: 'end', sure: 'yes' })],
    ['the end of a collection with its links', 200, collected({ action: 'end', sure: 'yes', links: 'yes' })],
    ['nothing selected', 400, collected({ action: 'pause' })],
    ['a deletion without consent', 400, collected({ action: 'delete', code: 'rich' })],
    ['a selected link that is not there', 404, collected({ action: 'leave', code: 'rich' })],
    ['a long campaign', 400, collected({ action: 'campaign', code: '{code}', campaign: LONG })],
    ['an unknown action of a collection', 400, collected({ action: 'Xyzzy' })],
    ['an unknown action', 400, owner({ action: 'Xyzzy' })],
    ['an unknown owner', 404, form(`/m/${UNKNOWN}`, {})],
    ['a wrong password', 403, form('/locked', { password: 'x' })],
    ['a form for which there is none', 405, form('/privacy', {})],
  ]
  return all.map(([name, status, send]) => ({ name, status, send }))
}
