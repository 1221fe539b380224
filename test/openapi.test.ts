import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { catalogue } from '../src/http/problem.ts'
import { startServer } from './support/server.ts'

interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, { summary?: string; operationId?: string; responses: Record<string, unknown> }>>
}

test('the OpenAPI document passes a linter without an error or a warning', async (t) => {
  const server = await startServer(t, { BASE_URL: 'https://qr.bakery.shop' })
  const source = await (await fetch(`${server.url}/api/openapi.json`)).text()
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  assert.deepEqual(
    problems.map(({ message, location }) => [message, location[0]?.pointer]),
    [],
  )
  const faulty = await lintFromString({ source: source.replace('"operationId"', '"operationID"'), config })
  assert.deepEqual(
    faulty.map(({ ruleId }) => ruleId),
    ['struct', 'operation-operationId'],
    'the linter finds faults',
  )
})

test('the document describes every endpoint of the specification, each with a summary, its success and its errors', async (t) => {
  const server = await startServer(t)
  const { openapi, servers, paths } = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as Document
  assert.equal(openapi, '3.1.0')
  assert.deepEqual(servers, [{ url: server.url }])
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual(operations.sort(), [
    'DELETE /api/collections',
    'DELETE /api/collections/{token}',
    'DELETE /api/collections/{token}/links/{code}',
    'DELETE /api/collections/{token}/links/{code}/shares/{id}',
    'DELETE /api/collections/{token}/shares/{id}',
    'DELETE /api/domains/{domain}',
    'DELETE /api/manage',
    'DELETE /api/manage/{token}',
    'DELETE /api/manage/{token}/shares/{id}',
    'GET /.well-known/security.txt',
    'GET /api/collections',
    'GET /api/collections/codes.zip',
    'GET /api/collections/links',
    'GET /api/collections/links.csv',
    'GET /api/collections/scans.csv',
    'GET /api/collections/scans.ndjson',
    'GET /api/collections/shares',
    'GET /api/collections/stats',
    'GET /api/collections/{token}',
    'GET /api/collections/{token}/codes.zip',
    'GET /api/collections/{token}/links',
    'GET /api/collections/{token}/links.csv',
    'GET /api/collections/{token}/links/{code}',
    'GET /api/collections/{token}/links/{code}/bundle',
    'GET /api/collections/{token}/links/{code}/history',
    'GET /api/collections/{token}/links/{code}/scans.csv',
    'GET /api/collections/{token}/links/{code}/scans.ndjson',
    'GET /api/collections/{token}/links/{code}/shares',
    'GET /api/collections/{token}/links/{code}/stats',
    'GET /api/collections/{token}/links/{code}/stream',
    'GET /api/collections/{token}/scans.csv',
    'GET /api/collections/{token}/scans.ndjson',
    'GET /api/collections/{token}/shares',
    'GET /api/collections/{token}/stats',
    'GET /api/domains/{domain}',
    'GET /api/links/{code}/available',
    'GET /api/manage',
    'GET /api/manage/bundle',
    'GET /api/manage/history',
    'GET /api/manage/scans.csv',
    'GET /api/manage/scans.ndjson',
    'GET /api/manage/shares',
    'GET /api/manage/stats',
    'GET /api/manage/stream',
    'GET /api/manage/{token}',
    'GET /api/manage/{token}/bundle',
    'GET /api/manage/{token}/history',
    'GET /api/manage/{token}/scans.csv',
    'GET /api/manage/{token}/scans.ndjson',
    'GET /api/manage/{token}/shares',
    'GET /api/manage/{token}/stats',
    'GET /api/manage/{token}/stream',
    'GET /api/openapi.json',
    'GET /api/print/calibration.pdf',
    'GET /api/problems',
    'GET /api/qr',
    'GET /api/share/scans.csv',
    'GET /api/share/scans.ndjson',
    'GET /api/share/stats',
    'GET /api/share/{token}/scans.csv',
    'GET /api/share/{token}/scans.ndjson',
    'GET /api/share/{token}/stats',
    'GET /healthz',
    'GET /metrics',
    'GET /readyz',
    'GET /{code}',
    'GET /{code}+',
    'GET /{code}.Q',
    'GET /{code}.ics',
    'GET /{code}.vcf',
    'GET /{code}/og.png',
    'GET /{code}/print.pdf',
    'GET /{code}/qr.pdf',
    'GET /{code}/qr.png',
    'GET /{code}/qr.svg',
    'POST /api/bulk',
    'POST /api/collections',
    'POST /api/collections/links',
    'POST /api/collections/rotate',
    'POST /api/collections/share',
    'POST /api/collections/{token}/changes',
    'POST /api/collections/{token}/links',
    'POST /api/collections/{token}/links/{code}/revert',
    'POST /api/collections/{token}/links/{code}/rotate',
    'POST /api/collections/{token}/links/{code}/share',
    'POST /api/collections/{token}/links/{code}/undelete',
    'POST /api/collections/{token}/rotate',
    'POST /api/collections/{token}/share',
    'POST /api/domains',
    'POST /api/links',
    'POST /api/manage',
    'POST /api/manage/revert',
    'POST /api/manage/rotate',
    'POST /api/manage/share',
    'POST /api/manage/undelete',
    'POST /api/manage/{token}/revert',
    'POST /api/manage/{token}/rotate',
    'POST /api/manage/{token}/share',
    'POST /api/manage/{token}/undelete',
    'POST /api/print',
    'POST /api/qr',
    'POST /api/reports',
    'POST /api/stats',
    'POST /{code}',
    'POST /{code}.ics',
    'POST /{code}.vcf',
    'PUT /api/collections',
    'PUT /api/collections/{token}',
    'PUT /api/collections/{token}/links/{code}',
    'PUT /api/manage',
    'PUT /api/manage/{token}',
  ])
  const known = new Set(Object.values(catalogue).map(([status]) => String(status)))
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    assert.ok(operation.summary && operation.operationId)
    const statuses = Object.keys(operation.responses)
    assert.ok(statuses.some((status) => status < '400') && statuses.includes('500'))
    for (const status of statuses) assert.ok(status < '400' || known.has(status), status)
  }
})

/** What is longer is a component, to which others refer: a text of some fields is shorter than that. */
const MAX_REPEATED = 300

/** The text of each schema and of each error response, with the schemas in them. */
function schemasAndErrors(node: unknown, key = '', isInside = false): string[] {
  if (node === null || typeof node !== 'object') return []
  const isCounted = isInside || key === 'schema' || key === 'schemas' || /^[45]\d\d$/.test(key)
  const parts = Object.entries(node).flatMap(([name, child]) => schemasAndErrors(child, name, isCounted))
  return isCounted ? [JSON.stringify(node), ...parts] : parts
}

test('the document has each schema and error once, as a named component', async (t) => {
  const server = await startServer(t)
  const text = await (await fetch(`${server.url}/api/openapi.json`)).text()
  const document = JSON.parse(text) as { components: { schemas: Record<string, { title: string }> } }
  const { components } = document
  for (const name of [
    'Problem',
    'UrlLink',
    'CreatedLink',
    'LinkDetails',
    'Statistics',
    'Domain',
    'Design',
    'Rules',
    'Rule',
  ]) {
    assert.equal(components.schemas[name]?.title, name)
    assert.equal(text.split(`"title":"${name}"`).length, 2, `${name} is written once`)
  }
  const written = new Map<string, number>()
  for (const part of schemasAndErrors(document)) written.set(part, (written.get(part) ?? 0) + 1)
  const repeated = [...written].filter(([part, times]) => times > 1 && part.length > MAX_REPEATED)
  assert.deepEqual(
    repeated.map(([part, times]) => `${times} times ${part}`),
    [],
  )
})
