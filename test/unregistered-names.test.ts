// Names that somebody has lead here without registering them: links are answered under them, so they are reported and blocked too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command } from './support/cli.ts'
import { ask } from './support/http.ts'
import { create, startServer, visit, type TestServer } from './support/server.ts'

const target = 'https://good.example/'

const block = async ({ dataDir }: TestServer, subject: string) => (await command(dataDir, 'block', subject)).stdout

test('who blocks a URL under a name that somebody may have lead here is told of the code that goes on', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target, alias: 'Menu' })
  const url = 'https://unregistered.example/menu'
  assert.equal(
    await block(server, url),
    'unregistered.example/menu is blocked: new links to it are refused, and existing ones are being blocked\n' +
      'the link Menu is not: if unregistered.example/menu is its short URL, run "quirl block Menu" too\n',
  )
  assert.equal((await visit(link.short_url)).status, 302)
  await block(server, 'Menu')
  for (const other of [url, 'https://unregistered.example/other', 'unregistered.example'])
    assert.match(await block(server, other), /^[^\n]*existing ones are being blocked\n$/, other)
})

test('a report by a name that leads here takes short URLs under that name, and asks for the code of others', async (t) => {
  const server = await startServer(t)
  await create(server, { target, alias: 'Menu' })
  const report = async (host: string, path: string, type: string, body: string) => {
    const headers = { host, 'content-type': type }
    const response = await ask(server.url + path, { method: 'POST', headers, body })
    return { status: response.status, body: response.body }
  }
  const sent = { code: 'http://unregistered.example:8080/Menu', reason: 'phishing' }
  const byName = report.bind(null, 'Unregistered.example:8080')
  const json = await byName('/api/reports', 'application/json', JSON.stringify(sent))
  assert.deepEqual(json, { status: 202, body: '{"received":true,"code":"Menu"}' })
  const form = await byName('/report', 'application/x-www-form-urlencoded', new URLSearchParams(sent).toString())
  assert.equal(form.status, 200)
  const other = await report('localhost', '/api/reports', 'application/json', JSON.stringify(sent))
  assert.equal(other.status, 400)
  assert.match(other.body, /of a URL under another name, give the code: it follows the name"/)
})
