import assert from 'node:assert/strict'
import type { Kind } from '../../src/links/kinds/kind.ts'
import type { ProblemCode } from '../../src/http/problem.ts'
import { MAX_LINKS } from '../../src/collections/bounds.ts'
import { hashToken } from '../../src/lib/token.ts'
import { MAX_SHARES } from '../../src/shares/bounds.ts'
import { command } from './cli.ts'
import type { Operation } from './contract.ts'
import { bodyOf, kindsWithFile } from './kinds.ts'
import { create, post, put, type Created, manage } from './server.ts'
import { codesOfFiles, type Subjects, type Valid } from './valid-requests.ts'

/** What is in the store besides the subjects of valid requests, so that each refusal has its reason. */
export interface Reasons extends Subjects {
  /** Codes of links that are gone. */
  codes: Record<'code_gone' | 'code_removed' | 'code_removed_by_law' | 'link_ended', string>
  /** A link that was removed for abuse. */
  removed: Created
  /** A link that once led to what is blocked now. */
  listed: Created
  /** A link that was deleted, and can be brought back. */
  deleted: Created
  /** A link with as many shares as it may have. */
  shared: Created
  /** The token of a share without the single scans. */
  bareShare: string
  /** The tokens of a collection that has these links, of one that has as many as it may, and of one with as many shares. */
  collections: Record<'ofAll' | 'full' | 'shared', string>
}

/** A host to which no link may lead, and one to which `redirected` leads by its rule. */
const BLOCKED = 'blocked.example'
const OTHER = 'https://example.com/other'
export const PASSWORD = 'correct-horse'
export const UNKNOWN_TOKEN = 'x'.repeat(43)
const WRONG_KEY = 'a key that another request had'

const always = (then: object) => ({ kind: 'vcard', firstName: 'Ada', rules: [{ when: {}, then }] })

/** The codes of the links of a kind with a file whose rules answer every visit. */
const codesByRule = ({ name }: Kind) => ({
  ended: `ended-${name}`,
  lockedEnded: `locked-ended-${name}`,
  moved: `moved-${name}`,
  lockedMoved: `locked-moved-${name}`,
})

/** Makes what requests are refused for, with the commands of the operator where only those can. */
export async function createReasons(subjects: Subjects): Promise<Reasons> {
  const { server, link } = subjects
  const run = async (...args: string[]) => {
    const { status, stderr } = await command(server.dataDir, ...args)
    assert.equal(status, 0, stderr)
  }
  const card = (alias: string) => create(server, { kind: 'vcard', firstName: 'Ada', alias })
  const gone = await card('gone')
  await fetch(`${server.url}/api/manage/${gone.token}`, { method: 'DELETE' })
  const [removed, illegal] = [await card('removed'), await card('illegal')]
  await run('block', removed.code, '--reason=spam')
  await run('block', illegal.code, '--legal', '--reason=order')
  const listed = await create(server, { target: `https://${BLOCKED}/` })
  await put(manage(subjects.server, listed), { target: OTHER })
  await run('block', BLOCKED)
  await create(server, { ...always({ ended: 'Sold out' }), alias: 'ended' })
  await create(server, { ...always({ ended: 'Sold out' }), alias: 'locked-ended', password: PASSWORD })
  await create(server, { ...always({ target: OTHER }), alias: 'moved' })
  await create(server, { ...always({ target: OTHER }), alias: 'locked-moved', password: PASSWORD })
  for (const kind of kindsWithFile) {
    const codes = codesByRule(kind)
    const body = (then: object) => ({ ...bodyOf(kind), rules: [{ when: {}, then }] })
    await create(server, { ...body({ ended: 'Sold out' }), alias: codes.ended })
    await create(server, { ...body({ ended: 'Sold out' }), alias: codes.lockedEnded, password: PASSWORD })
    await create(server, { ...body({ target: OTHER }), alias: codes.moved })
    await create(server, { ...body({ target: OTHER }), alias: codes.lockedMoved, password: PASSWORD })
  }
  await create(server, { target: OTHER, alias: 'plain' })
  await create(server, { target: OTHER, alias: 'locked-plain', password: PASSWORD })
  await create(server, { kind: 'page', headline: 'Menu', alias: 'locked-page', password: PASSWORD })
  const designed = await create(server, { target: OTHER, alias: 'designed' })
  // In a dark frame, only the light margin separates the symbol from it.
  await put(manage(subjects.server, designed), { design: { frame: { text: 'Scan', color: '#000' }, margin: 2 } })
  const shared = await card('shared')
  for (let at = 0; at < MAX_SHARES; at++) await post(`${manage(subjects.server, shared)}/share`, {})
  const deleted = await card('deleted')
  const collections = await createCollections(subjects, [link, removed, listed, deleted, shared])
  await fetch(`${manage(subjects.server, deleted)}?undo=true`, { method: 'DELETE' })
  const bare = (await (await post(`${manage(subjects.server, link)}/share`, {})).json()) as { share_token: string }
  return {
    ...subjects,
    codes: { code_gone: 'gone', code_removed: 'removed', code_removed_by_law: 'illegal', link_ended: 'ended' },
    removed,
    listed,
    deleted,
    shared,
    bareShare: bare.share_token,
    collections,
  }
}

async function createCollections({ server }: Subjects, links: Created[]): Promise<Reasons['collections']> {
  const create = async () =>
    ((await (await post(`${server.url}/api/collections`, {})).json()) as Pick<Created, 'token'>).token
  const [ofAll, full, shared] = [await create(), await create(), await create()]
  for (let at = 0; at < MAX_SHARES; at++) await post(`${server.url}/api/collections/${shared}/share`, {})
  await post(`${server.url}/api/collections/${ofAll}/links`, { tokens: links.map(({ token }) => token) })
  await post(`${server.url}/api/collections/${full}/links`, { tokens: [links[0]?.token] })
  const { db } = server.services
  const { id } = await db.read
    .selectFrom('collections')
    .select('id')
    .where('token_hash', '=', hashToken(full))
    .executeTakeFirstOrThrow()
  const rows = Array.from({ length: MAX_LINKS - 1 }, (_, at) => ({ collection_id: id, link_id: -1 - at, joined_at: 0 }))
  for (let from = 0; from < rows.length; from += 1000) {
    await db.write
      .insertInto('memberships')
      .values(rows.slice(from, from + 1000))
      .execute()
  }
  return { ofAll, full, shared }
}

/** The same request by the owner of a collection that has the link whose token it names. */
export function throughCollection(
  { collections, link, removed, listed, deleted, shared }: Reasons,
  change: Change,
): Change {
  const named = change.token?.()
  const code = [link, removed, listed, deleted, shared].find(({ token }) => token === named)?.code
  return code === undefined ? change : { ...change, token: () => collections.ofAll, path: { code } }
}

/** What a request has in place of a valid one's. */
export interface Change extends Valid {
  headers?: Record<string, string>
}

/** How a request of an operation is made to be refused with a code; undefined where another table says it. */
export type Refuse = (operation: Operation, valid: Valid, reasons: Reasons) => Change | undefined

const ofCode =
  (code: string): Refuse =>
  ({ id }, { body }) => {
    if (id === 'report') return { body: { ...(body as object), code } }
    if (id === 'print') return { body: { ...(body as object), links: [code] } }
    return id.startsWith('open') ? undefined : { path: { code } }
  }

const ofToken =
  (token: (reasons: Reasons) => string): Refuse =>
  (_operation, _valid, reasons) => ({ token: () => token(reasons) })

const withBody =
  (more: object): Refuse =>
  (_operation, { body }) => ({ body: { ...(body as object), ...more } })

/** A page, or sheets, with a text. */
const printed = (id: string, body: unknown, own: string): Change =>
  id === 'print'
    ? { body: { ...(body as object), text: { own } } }
    : { query: new URLSearchParams({ paper: 'sticker-50', title: own }).toString() }

/** A refusal of each code, for every operation that has it. */
export const refusals: Partial<Record<ProblemCode, Refuse>> = {
  malformed_json: () => ({ headers: { 'content-type': 'application/json' }, form: '{' }),
  unsupported_media_type: () => ({ headers: { 'content-encoding': 'gzip' } }),
  foreign_form: () => ({ headers: { 'sec-fetch-site': 'cross-site' } }),
  expectation_failed: () => ({ headers: { expect: 'a miracle' } }),
  headers_too_large: () => ({ headers: { 'x-padding': 'x'.repeat(20_000) } }),
  precondition_failed: ({ id }, _valid, { link }) => ({
    token: () => link.token,
    headers: { 'if-match': '"0"' },
    ...(id === 'leaveCollection' && { query: 'link=true' }),
  }),
  idempotency_key_reused: ({ id }) => ({
    headers: { 'idempotency-key': WRONG_KEY },
    ...(id === 'createLink' && { body: { target: OTHER } }),
  }),
  not_found({ id }) {
    if (id.startsWith('open_')) return { path: { code: 'locked-plain' } }
    return id.startsWith('download_') || id === 'picture'
      ? { path: { code: 'plain' } }
      : { headers: { host: 'own.example.com' } }
  },
  unknown_token: ofToken(() => UNKNOWN_TOKEN),
  collection_not_found({ id }, { body }) {
    const headers = { 'quirl-collection': UNKNOWN_TOKEN }
    const design = { look: 'blue' }
    if (id.startsWith('createLink')) return { headers }
    if (id === 'print') return { body: { collection: UNKNOWN_TOKEN, labels: 'avery-l7160' } }
    if (id === 'changeLink' || id === 'changeLinkByHeader') return { headers, body: { design } }
    if (id !== 'changeLinks') return { token: () => UNKNOWN_TOKEN }
    const { changes } = body as { changes: object[] }
    return { headers, body: { changes: changes.map((row) => ({ ...row, design })) } }
  },
  collection_full: (_operation, _valid, { collections }) => ({ headers: { 'quirl-collection': collections.full } }),
  unknown_code: ofCode('nothing'),
  unknown_domain: () => ({ path: { domain: 'nothing.example.com' } }),
  unknown_share: () => ({ path: { id: 'nothing' } }),
  unknown_revision: withBody({ revision: 999 }),
  code_gone: ofCode('gone'),
  code_removed: ofCode('removed'),
  code_removed_by_law: ofCode('illegal'),
  link_ended({ id }) {
    const kind = kindsWithFile.find(({ file }) => id.endsWith(`_${file.extension}`))
    const codes = kind === undefined ? { ended: 'ended', lockedEnded: 'locked-ended' } : codesByRule(kind)
    return { path: { code: id.startsWith('open') ? codes.lockedEnded : codes.ended } }
  },
  link_deleted: ({ id }, _valid, { deleted, collections }) =>
    id === 'leaveCollection'
      ? { token: () => collections.ofAll, path: { code: deleted.code }, query: 'link=true&undo=true' }
      : { token: () => deleted.token, ...(id.startsWith('deleteLink') && { query: 'undo=true' }) },
  link_removed: ({ id }, _valid, { removed }) => ({
    token: () => removed.token,
    ...(id.startsWith('revert') && { body: { revision: 2 } }),
  }),
  alias_taken: withBody({ alias: 'contract' }),
  alias_reserved: withBody({ alias: 'api' }),
  target_blocked({ id }, _valid, { listed }) {
    if (/^changeCollection(?:ByHeader)?$/.test(id))
      return { body: { webhook: { url: `https://${BLOCKED}/`, events: ['link.changed'] } } }
    const body = id.startsWith('revert') ? { revision: 1 } : { target: `https://${BLOCKED}/` }
    return { token: () => listed.token, body }
  },
  text_too_long: ({ id }, { body }) => printed(id, body, 'W'.repeat(200)),
  text_not_printable: ({ id }, { body }) => printed(id, body, '漢'),
  too_many_shares: ({ id }, _valid, { shared, collections }) => ({
    token: () => (id.startsWith('createCollectionShare') ? collections.shared : shared.token),
  }),
  too_many_domains: withBody({ domain: 'one-too-many.example.org' }),
  wrong_password: () => ({ form: 'password=wrong' }),
  method_not_allowed: () => ({ path: { code: 'plain' } }),
  forbidden: ({ id }, _valid, { bareShare }) =>
    id === 'metrics'
      ? { headers: { 'x-forwarded-for': '192.0.2.1' } }
      : { token: () => bareShare, ...(id.startsWith('readSharedStats') && { query: 'interval=hour' }) },
  beyond_retention({ method, id }, { body }, { bareShare }) {
    const window = { from: '2020-01-01', to: '2020-01-02' }
    if (method === 'POST') return { body: { ...(body as object), ...window, placement: ['~'] } }
    const query = new URLSearchParams({ ...window, placement: '~' }).toString()
    return { query, ...(id.startsWith('readSharedStats') && { token: () => bareShare }) }
  },
  nothing_created: () => ({ body: [{ target: 'nothing' }] }),
  nothing_changed: ({ id }) => ({
    body: { changes: [id.startsWith('changeCollection') ? { code: 'nothing' } : { token: UNKNOWN_TOKEN }] },
  }),
  malformed_csv: () => ({ form: 'target\n"', headers: { 'content-type': 'text/csv' } }),
  unscannable: ({ id, method }, { body }) => {
    const design = { eye_frame_color: '#ddd', eye_ball_color: '#ddd' }
    if (id.startsWith('print')) return undefined
    if (method === 'GET') return { path: { code: 'designed' }, query: 'margin=0' }
    if (id.startsWith('changeCollection')) return { body: { looks: { pale: design } } }
    return id.startsWith('revert') ? undefined : { body: { ...(body as object), design } }
  },
}

const unchanged = { 'if-none-match': '*' }
const locked = (code: string): Change => ({ path: { code }, form: `password=${PASSWORD}` })

function answersOfFile(kind: (typeof kindsWithFile)[number]): [operation: string, changes: Change[]][] {
  const { extension } = kind.file
  const [codes, byRule] = [codesOfFiles(kind), codesByRule(kind)]
  return [
    [
      `open_${extension}`,
      [locked(byRule.lockedMoved), { ...locked(codes.locked), headers: { 'sec-fetch-site': 'cross-site' } }],
    ],
    [`download_${extension}`, [{ path: { code: byRule.moved } }, { path: { code: codes.locked } }]],
  ]
}

/** Requests with the further statuses that are no refusals, by operation. */
export const otherAnswers: Record<string, Change[]> = {
  visit: [
    { path: { code: 'plain' } },
    ...kindsWithFile.map((kind) => ({
      path: { code: codesOfFiles(kind).open },
      headers: { accept: kind.file.mediaType },
    })),
    { path: { code: 'locked-page' } },
  ],
  visitCompact: [{ path: { code: 'plain' } }],
  openLink: [locked('locked-page'), locked('locked-moved')],
  ...Object.fromEntries(kindsWithFile.flatMap(answersOfFile)),
  preview: [{ path: { code: 'locked-vcard' } }],
  qr_png: [{ headers: unchanged }, { path: { code: 'designed' } }],
  qr_svg: [{ headers: unchanged }],
  qr_pdf: [{ headers: unchanged }],
  print_pdf: [{ headers: unchanged }],
  picture: [{ headers: unchanged }, { path: { code: 'moved' } }],
  makeQr: [{ headers: unchanged }],
  openApi: [{ headers: unchanged }],
  createLinks: [{ query: 'dry_run=true' }, { query: 'format=csv' }, { query: 'qr=zip' }],
  designQr: [{ query: '' }],
  registerDomain: [{}],
}
