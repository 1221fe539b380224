import { randomUUID } from 'node:crypto'
import type { Kind } from '../../src/links/kinds/kind.ts'
import type { Operation } from './contract.ts'
import { bodyOf, kindsWithFile } from './kinds.ts'
import { create, post, type Created, type TestServer } from './server.ts'

/** What valid requests are about. */
export interface Subjects {
  server: TestServer
  /** A contact with the alias `contract`. */
  link: Created
  /** A share of it, with its single scans. */
  share: { id: string; share_token: string }
}

export async function createSubjects(server: TestServer): Promise<Subjects> {
  const link = await create(server, { kind: 'vcard', firstName: 'Ada', alias: 'contract' })
  const share = await post(`${server.url}/api/manage/${link.token}/share`, { csv: true })
  return { server, link, share: (await share.json()) as Subjects['share'] }
}

/** What a valid request of an operation has; the rest is the same for all. */
export interface Valid {
  /** Whose token is in the path or in the Authorization header; by default that of the link. */
  token?: () => string
  path?: Record<string, string>
  query?: string
  body?: unknown
  form?: string
  /** The status of its response, 200 by default. */
  status?: number
}

const target = 'https://example.com/menu'
const protectedLink: Valid = { path: { code: 'locked' }, form: 'password=correct-horse' }

/** One valid request of each operation, in an order in which each succeeds. */
export function validRequests({ server, link, share }: Subjects): Record<string, Valid | (() => Promise<Valid>)> {
  const ofShare: Valid = { token: () => share.share_token }
  const tokenOfNew = async () => {
    const { token } = await create(server, { target })
    return () => token
  }
  const tokenOfDeleted = async () => {
    const token = await tokenOfNew()
    await fetch(`${server.url}/api/manage/${token()}?undo=true`, { method: 'DELETE' })
    return token
  }
  return {
    healthz: {},
    readyz: {},
    metrics: {},
    securityTxt: {},
    openApi: {},
    problems: {},
    createLink: {
      body: { target, alias: 'locked', password: 'correct-horse', utm: { utm_source: 'poster' } },
      status: 201,
    },
    createLinks: { body: [{ target }, { target: 'nothing' }], status: 201 },
    readAvailability: {},
    readLink: {},
    readLinkByHeader: {},
    visit: {},
    visitCompact: {},
    openLink: { ...protectedLink, status: 303 },
    ...requestsOfFiles(server),
    preview: {},
    qr_png: {},
    qr_svg: { query: 'size=200' },
    qr_pdf: { query: 'width_mm=40' },
    print_pdf: { query: 'paper=letter&title=Menu' },
    print: { body: { links: [link.token], labels: 'avery-l7160', text: 'alias' } },
    calibration_pdf: { query: 'paper=letter&language=de' },
    picture: {},
    makeQr: { query: 'data=contract' },
    designQr: { query: 'report=true', body: { data: 'contract', design: { shape: 'dots' } } },
    changeLink: { body: { title: 'Card' } },
    changeLinkByHeader: { body: { title: 'A card' } },
    changeLinks: async () => ({
      body: {
        changes: [
          { token: link.token, title: 'My card' },
          { token: 'x', title: 'y' },
        ],
      },
    }),
    readHistory: {},
    readHistoryByHeader: {},
    revertLink: { body: { revision: 1 } },
    revertLinkByHeader: { body: { revision: 2 } },
    followTotals: {},
    followTotalsByHeader: {},
    readStats: { query: 'days=7&tz=Europe/Berlin&previous=true' },
    readStatsByHeader: { query: 'audience=human&device=mobile&device=desktop' },
    exportScans: {},
    exportScansByHeader: {},
    exportScansNdjson: {},
    exportScansNdjsonByHeader: {},
    exportBundle: {},
    exportBundleByHeader: {},
    readManyStats: async () => ({ body: { tokens: [link.token] } }),
    createShare: { body: { name: 'Printer' }, status: 201 },
    createShareByHeader: { body: {}, status: 201 },
    listShares: {},
    listSharesByHeader: {},
    readSharedStats: ofShare,
    readSharedStatsByHeader: ofShare,
    exportSharedScans: ofShare,
    exportSharedScansByHeader: ofShare,
    exportSharedScansNdjson: ofShare,
    exportSharedScansNdjsonByHeader: ofShare,
    revokeShare: async () => {
      const created = await post(`${server.url}/api/manage/${link.token}/share`, {})
      return { path: { id: ((await created.json()) as Subjects['share']).id } }
    },
    createCollection: { body: { name: 'Summer' }, status: 201 },
    ...requestsOfCollections(server, link),
    ...requestsThroughCollections(server),
    report: { body: { code: 'contract', reason: 'phishing', details: 'It asks for a card number' }, status: 202 },
    registerDomain: { body: { domain: 'qr.example.com' }, status: 201 },
    readDomain: { path: { domain: 'qr.example.com' } },
    removeDomain: async () => {
      const domain = `${randomUUID()}.example.com`
      const registered = (await (await post(`${server.url}/api/domains`, { domain })).json()) as Created
      return { token: () => registered.token, path: { domain } }
    },
    rotateToken: async () => ({ token: await tokenOfNew() }),
    rotateTokenByHeader: async () => ({ token: await tokenOfNew() }),
    deleteLink: async () => ({ token: await tokenOfNew() }),
    deleteLinkByHeader: async () => ({ token: await tokenOfNew() }),
    undeleteLink: async () => ({ token: await tokenOfDeleted() }),
    undeleteLinkByHeader: async () => ({ token: await tokenOfDeleted() }),
  }
}

/** Requests about a collection of their own. Only some have the link in it, which would leave its first one with the eleventh. */
function requestsOfCollections(server: TestServer, link: Created): Record<string, () => Promise<Valid>> {
  const collections = `${server.url}/api/collections`
  const opened = async (): Promise<Valid & { token: () => string }> => {
    const { token } = (await (await post(collections, {})).json()) as Pick<Created, 'token'>
    return { token: () => token }
  }
  const collected = async (): Promise<Valid> => {
    const { token } = await opened()
    await post(`${collections}/${token()}/links`, { tokens: [link.token] })
    return { token }
  }
  const revoking = async (): Promise<Valid> => {
    const { token } = await opened()
    const { id } = (await (await post(`${collections}/${token()}/share`, {})).json()) as { id: string }
    return { token, path: { id } }
  }
  const sharing = async (): Promise<Valid> => ({ ...(await reading()), body: { campaign: 'spring' }, status: 201 })
  let first: Promise<Valid> | undefined
  const reading = () => (first ??= collected())
  const joining = async () => ({ ...(await opened()), body: { tokens: [link.token, 'x'] } })
  const recoding = async () => ({
    ...(await reading()),
    body: {
      changes: [
        { code: link.code, title: 'My card' },
        { code: 'nothing', title: 'y' },
      ],
    },
  })
  const changing = async () => ({ ...(await opened()), body: { name: null } })
  return {
    readCollection: reading,
    readCollectionByHeader: reading,
    readCollectionStats: async () => ({ ...(await reading()), query: 'days=7&campaign=~&compare=previous' }),
    readCollectionStatsByHeader: async () => ({ ...(await reading()), query: 'device=mobile' }),
    exportCollectionScans: reading,
    exportCollectionScansByHeader: reading,
    exportCollectionScansNdjson: reading,
    exportCollectionScansNdjsonByHeader: reading,
    exportCollectionLinks: reading,
    exportCollectionCodes: reading,
    exportCollectionCodesByHeader: reading,
    exportCollectionLinksByHeader: reading,
    changeCollection: changing,
    changeCollectionByHeader: changing,
    changeCollectionLinks: recoding,
    rotateCollectionToken: opened,
    rotateCollectionTokenByHeader: opened,
    listCollection: reading,
    listCollectionByHeader: reading,
    joinCollection: joining,
    joinCollectionByHeader: joining,
    leaveCollection: async () => ({ ...(await collected()), path: { code: link.code } }),
    createCollectionShare: sharing,
    createCollectionShareByHeader: sharing,
    listCollectionShares: reading,
    listCollectionSharesByHeader: reading,
    revokeCollectionShare: revoking,
    endCollection: opened,
    endCollectionByHeader: opened,
  }
}

/** What the owner of a link may do, through a collection that it is in. */
function requestsThroughCollections(server: TestServer): Record<string, () => Promise<Valid>> {
  const through =
    (valid: Valid = {}) =>
    async (): Promise<Valid> => {
      const { token } = (await (await post(`${server.url}/api/collections`, {})).json()) as Pick<Created, 'token'>
      const created = await post(`${server.url}/api/links`, { target }, { 'quirl-collection': token })
      const { code } = (await created.json()) as Created
      return { ...valid, token: () => token, path: { code } }
    }
  // Without a scan there is no line.
  const visited = async (): Promise<Valid> => {
    const valid = await through()()
    await fetch(`${server.url}/${valid.path?.['code']}`, { redirect: 'manual' })
    return valid
  }
  const revoking = async (): Promise<Valid> => {
    const { token = () => '', path = {} } = await through()()
    const shares = `${server.url}/api/collections/${token()}/links/${path['code']}/share`
    const { id } = (await (await post(shares, {})).json()) as { id: string }
    return { token, path: { ...path, id } }
  }
  const requests: Record<string, Valid> = {
    readLink: {},
    changeLink: { body: { title: 'Card' } },
    readHistory: {},
    revertLink: { body: { revision: 1 } },
    rotateToken: {},
    undeleteLink: {},
    followTotals: {},
    readStats: { query: 'days=7' },
    exportScans: {},
    exportBundle: {},
    createShare: { body: {}, status: 201 },
    listShares: {},
  }
  return {
    ...Object.fromEntries(
      Object.entries(requests).map(([operation, valid]) => [`${operation}InCollection`, through(valid)]),
    ),
    revokeShareInCollection: revoking,
    exportScansNdjsonInCollection: visited,
  }
}

/** Downloads of the files of links, of each kind that has one, with and without a password. */
function requestsOfFiles(server: TestServer): Record<string, () => Promise<Valid>> {
  const requests = kindsWithFile.flatMap((kind) => {
    const { extension } = kind.file
    const codes = codesOfFiles(kind)
    return [
      [
        `download_${extension}`,
        async () => {
          await create(server, { ...bodyOf(kind), alias: codes.open })
          return { path: { code: codes.open } }
        },
      ],
      [
        `open_${extension}`,
        async () => {
          await create(server, { ...bodyOf(kind), alias: codes.locked, password: 'correct-horse' })
          return { ...protectedLink, path: { code: codes.locked } }
        },
      ],
    ] as const
  })
  return Object.fromEntries(requests)
}

/** The codes of the links of a kind whose files valid requests download. */
export const codesOfFiles = ({ name }: Kind) => ({ open: `file-of-${name}`, locked: `locked-${name}` })

/** A request, for `fetch`. */
export interface Sent {
  method: string
  /** With the query. */
  path: string
  headers: Record<string, string>
  body?: string
}

/** Fills the path of an operation, and adds what a valid request of it has. */
export function requestOf({ method, path }: Operation, valid: Valid, { link }: Pick<Subjects, 'link'>): Sent {
  const token = valid.token?.() ?? link.token
  const values: Record<string, string> = { code: link.code, token, ...valid.path }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? 'x')
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  const body = valid.form ?? (valid.body === undefined ? undefined : JSON.stringify(valid.body))
  if (body !== undefined)
    headers['content-type'] = valid.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  return { method, path: `${filled}?${valid.query ?? ''}`, headers, ...(body !== undefined && { body }) }
}
