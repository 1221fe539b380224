import { kinds } from '../../links/kinds/index.ts'
import type { Kind } from '../../links/kinds/kind.ts'
import { ownParameters, type Operation, type Parameter, type Schema } from './document.ts'
import { exampleOf, PASSWORD, type Known } from './example.ts'

/** A request that can be pasted into a terminal, and the same as a script. */
export interface Snippets {
  shell: string
  script: string
}

/** An operation with its place in the document. */
export interface Endpoint {
  method: string
  path: string
  operation: Operation
}

/** What a request is written from. */
interface Request extends Pick<Endpoint, 'method' | 'path'> {
  operation: Pick<Operation, 'parameters' | 'security'>
}

/** The requests that give the variables of the examples their values. */
export function preparation(origin: string): Snippets {
  const { shell, script } = stepOf({
    method: 'POST',
    path: '/api/links',
    body: { target: 'https://example.com/menu' },
    keep: { token: 'token', code: 'code' },
  })
  return { shell: `ORIGIN=${origin}\n${shell}`, script: `const origin = '${origin}'\n${script}` }
}

/** A request that an example needs before its own, and the values of the response that it uses. */
interface Step {
  method: string
  path: string
  body: object
  /** The members of its response that the example uses, by variable. */
  keep?: Record<string, string>
}

const share: Step = {
  method: 'POST',
  path: '/api/manage/{token}/share',
  body: { csv: true },
  keep: { token: 'share_token' },
}
/** A collection with the link in it; its token has a variable of its own. */
const collection: Step[] = [
  { method: 'POST', path: '/api/collections', body: { name: 'Shop' }, keep: { collection: 'token' } },
  { method: 'POST', path: '/api/collections/{collection}/links', body: { tokens: ['TOKEN'] } },
]
const COLLECTION = '/api/collections/{token}'
const linkOf = ({ name, sample }: Kind): Step => ({
  method: 'POST',
  path: '/api/links',
  body: { kind: name, ...sample },
  keep: { token: 'token', code: 'code' },
})
const lock: Step = { method: 'PUT', path: '/api/manage/{token}', body: { password: PASSWORD } }
const domain = (name: string): Step => ({
  method: 'POST',
  path: '/api/domains',
  body: { domain: name },
  keep: { domain: 'domain', token: 'token' },
})

/** What operations need besides a link. */
const steps: Record<string, Step[]> = {
  openLink: [lock],
  ...stepsOfFiles(),
  picture: kinds
    .filter(({ picture }) => picture !== undefined)
    .map(linkOf)
    .slice(0, 1),
  revertLink: [{ method: 'PUT', path: '/api/manage/{token}', body: { target: 'https://example.com/lunch' } }],
  revokeShare: [{ ...share, keep: { id: 'id' } }],
  revokeCollectionShare: [
    { method: 'POST', path: '/api/collections/{collection}/share', body: {}, keep: { id: 'id' } },
  ],
  readSharedStats: [share],
  exportSharedScans: [share],
  exportSharedScansNdjson: [share],
  readDomain: [domain('go.example.com')],
  removeDomain: [domain('old.example.com')],
}

/** The links whose files are downloaded, with and without their password. */
function stepsOfFiles(): Record<string, Step[]> {
  const withFiles = kinds.flatMap((kind) => (kind.file === undefined ? [] : [{ kind, ...kind.file }]))
  return Object.fromEntries(
    withFiles.flatMap(({ kind, extension }) => [
      [`download_${extension}`, [linkOf(kind)]],
      [`open_${extension}`, [linkOf(kind), lock]],
    ]),
  )
}

function stepOf({ method, path, body, keep = {} }: Step): Snippets {
  const endpoint = { method, path, operation: { parameters: [] } }
  const sent = { type: 'application/json', text: JSON.stringify(body) }
  const [shell, call] = [shellOf(endpoint, sent), fetchOf(endpoint, sent)]
  const kept = Object.entries(keep)
  if (kept.length === 0) return { shell, script: call }
  // The first of that name: a warning has a code as well.
  const values = kept.map(
    ([name, member]) =>
      `${name.toUpperCase()}=$(echo "$JSON" | grep -o '"${member}":"[^"]*' | head -n 1 | cut -d'"' -f4)`,
  )
  const members = kept.map(([name, member]) => (name === member ? name : `${member}: ${name}`))
  return {
    shell: [`JSON=$(${shell})`, ...values].join('\n'),
    script: `var { ${members.join(', ')} } = await (${call}).json()`,
  }
}

/** The request of an endpoint with its required parameters, and with its example as the body. */
export function snippetsOf(given: Endpoint, schemas: Record<string, Schema>, known: Known): Snippets {
  const isOfCollection = given.path.startsWith(COLLECTION)
  const endpoint = { ...given, path: given.path.replace(COLLECTION, '/api/collections/{collection}') }
  const body = bodyOf(endpoint, schemas, known)
  const needed = [...(isOfCollection ? collection : []), ...(steps[endpoint.operation.operationId] ?? [])]
  const before = needed.map(stepOf)
  return {
    shell: [...before.map(({ shell }) => shell), shellOf(endpoint, body)].join('\n'),
    script: [
      ...before.map(({ script }) => script),
      `var response = ${fetchOf(endpoint, body)}`,
      'console.log(response.status, await response.text())',
    ].join('\n'),
  }
}

interface Body {
  type: string
  text: string
}

/** The example of the first media type. */
function bodyOf({ operation }: Endpoint, schemas: Record<string, Schema>, known: Known): Body | undefined {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (type === undefined || media === undefined) return undefined
  const example = media.example ?? exampleOf(media.schema, schemas, known)
  if (type === 'application/x-www-form-urlencoded') {
    return { type, text: new URLSearchParams(example as Record<string, string>).toString() }
  }
  return {
    type,
    text: JSON.stringify(example)
      .replaceAll('"…"', '"TOKEN"')
      .replaceAll(`"${known.token}"`, '"TOKEN"')
      .replaceAll(known.code, 'CODE'),
  }
}

/** Adds the query parameters that are required. */
function addressOf({ path, operation }: Request, write: (name: string) => string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_part, name: string) => write(name))
  const query = ownParameters(operation.parameters).filter((each) => each.in === 'query' && each.required)
  return query.length === 0 ? filled : `${filled}?${query.map(exampleParameter).join('&')}`
}

function exampleParameter({ name, example, schema }: Parameter): string {
  return `${name}=${encodeURIComponent(textOf(example ?? schema.examples?.[0] ?? schema.default))}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}

function shellOf(endpoint: Request, body: Body | undefined): string {
  const address = addressOf(endpoint, (name) => `$${name.toUpperCase()}`)
  const parts = [`curl -s`, ...(needsMethod(endpoint, body) ? [`-X ${endpoint.method}`] : []), `"$ORIGIN${address}"`]
  if (isAuthorised(endpoint)) parts.push('-H "Authorization: Bearer $TOKEN"')
  if (body !== undefined) parts.push(`\\\n  -H 'Content-Type: ${body.type}'`, `\\\n  -d ${quoteForShell(body.text)}`)
  return parts.join(' ')
}

const isAuthorised = ({ operation: { security = [] } }: Request) =>
  security.length > 0 && security.every((each) => Object.keys(each).length > 0)

const needsMethod = ({ method }: Request, body: Body | undefined) => method !== (body === undefined ? 'GET' : 'POST')

/** In single quotes, from which variables break out. */
function quoteForShell(text: string): string {
  const quoted = `'${text.replaceAll("'", "'\\''")}'`
  return quoted.replace(/"(TOKEN|CODE)"/g, `"'"$$$1"'"`)
}

/** A visit is not followed, which would leave this service. */
function fetchOf(endpoint: Request, body: Body | undefined): string {
  const address = addressOf(endpoint, (name) => `\${${name}}`)
  const options = [
    ...(endpoint.method === 'GET' ? [] : [`  method: '${endpoint.method}',`]),
    ...(endpoint.path.startsWith('/{code}') ? ["  redirect: 'manual',"] : []),
    ...(isAuthorised(endpoint) ? ['  headers: { Authorization: `Bearer ${token}` },'] : []),
    ...(body === undefined ? [] : [`  headers: { 'Content-Type': '${body.type}' },`, `  body: ${scriptBody(body)},`]),
  ]
  return `await fetch(\`\${origin}${address}\`${options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`})`
}

function scriptBody({ type, text }: Body): string {
  if (type !== 'application/json') return `'${text}'`
  const value = text.replace(/"(TOKEN|CODE)"/g, (_part, name: string) => name.toLowerCase())
  return `JSON.stringify(${value})`
}
