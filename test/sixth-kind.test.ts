import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endOfFile } from './support/cleanup.ts'
import type { TestServer } from './support/server.ts'

// What docs/architecture.md promises to whoever adds a kind: one folder, and one line with its import in the list.

const LIST = /export const kinds: [^=]*= \[[^\]]*/

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/src/links/kinds/index.ts')) return loaded
    const source = readFileSync(fileURLToPath(url), 'utf8')
    assert.match(source, LIST)
    const from = new URL('support/coupon/kind.ts', import.meta.url).href
    return {
      ...loaded,
      source: `import { coupon } from '${from}'\n${source.replace(LIST, (list) => `${list}, coupon`)}`,
    }
  },
})

const { create, details, manage, post, put, startServer, visit } = await import('./support/server.ts')
const { shorten } = await import('../src/cli/owner/shorten.ts')

const end = endOfFile()

describe('a sixth kind, which is one folder and one line in the list', () => {
  let server: TestServer
  before(async () => {
    server = await startServer(end)
  })
  const body = { kind: 'coupon', discount: '20 %' }
  const read = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${server.url}${path}`, { headers })).text()

  test('the API creates, changes and remembers it, and names what is wrong', async () => {
    const link = await create(server, body)
    await put(manage(server, link), { discount: '30 %' })
    const { kind, payload } = await details(server, link)
    assert.deepEqual([kind, payload], ['coupon', { discount: '30 %' }])
    assert.match(JSON.stringify(await details(server, link, '/history')), /20 %/)
    const refused = await post(`${server.url}/api/links`, { kind: 'coupon' })
    const { errors } = (await refused.json()) as { errors: { pointer: string }[] }
    assert.deepEqual([refused.status, errors.map(({ pointer }) => pointer)], [400, ['/discount']])
  })

  test('a visit shows its page, and its file and its picture are there', async () => {
    const link = await create(server, body)
    assert.match(await (await visit(link.short_url)).text(), /Worth 20 %/)
    assert.equal(await read(`/${link.code}.coupon`), 'coupon 20 %')
    const asked = await fetch(link.short_url, { headers: { accept: 'text/x-coupon' } })
    assert.equal(asked.headers.get('content-type'), 'text/x-coupon; charset=utf-8')
    const picture = await fetch(`${server.url}/${link.code}/og.png`)
    assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png'])
  })

  test('the pages have its form, its words in both languages, and where it leads', async () => {
    assert.match(await read('/?kind=coupon'), /Discount of the coupon/)
    assert.match(await read('/?kind=coupon&lang=de'), /Rabatt des Gutscheins/)
    const form = (fields: Record<string, string>) =>
      fetch(`${server.url}/?lang=de`, { method: 'POST', body: new URLSearchParams({ kind: 'coupon', ...fields }) })
    assert.match(await (await form({ discount: '' })).text(), /was der Gutschein wert ist/)
    assert.equal((await form({ discount: '5 %' })).status, 200)
    const { token } = await create(server, body)
    assert.match(await read(`/m/${token}`), /a coupon worth 20 %/)
  })

  test('many are created at once, and the document of the API and the commands name it', async () => {
    const rows = await post(`${server.url}/api/bulk`, [{ kind: 'coupon', discount: '15 %' }])
    const { results } = (await rows.json()) as { results: { token: string }[] }
    assert.deepEqual((await details(server, { token: String(results[0]?.token) }))['payload'], { discount: '15 %' })
    const { components, paths } = JSON.parse(await read('/api/openapi.json')) as Record<string, Record<string, object>>
    assert.ok(components?.['schemas'] && 'CouponLink' in components['schemas'])
    assert.ok(paths && '/{code}.coupon' in paths)
    assert.match(JSON.stringify(shorten.options), /coupon/)
  })
})
