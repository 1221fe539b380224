// Placements: one link, many printed codes, whose scans the statistics count apart (../docs/api.md).
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { readBarcodes } from 'zxing-wasm/reader'
import './support/decoders.ts'
import { createDatabase } from './support/drivers.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

const TARGET = 'https://example.com/menu'
const placements = [{ id: 'Window', name: 'Shop window' }, { id: 'flyer-5' }]

const stores: [name: string, env: (t: TestContext) => Promise<Record<string, string> | undefined>][] = [
  ['SQLite', async () => ({})],
  [
    'PostgreSQL',
    async (t) =>
      requireProgram(t, 'initdb', 'postgresql') ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined,
  ],
]

const manage = ({ url }: Pick<TestServer, 'url'>, { token }: Created, path = '') => `${url}/api/manage/${token}${path}`
const json = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Record<string, unknown>
const errorsOf = async (response: Response | Promise<Response>) => {
  const answer = await response
  assert.equal(answer.status, 400)
  const { errors } = (await answer.json()) as { errors: { pointer: string; detail: string }[] }
  return errors.map(({ pointer, detail }) => `${pointer} ${detail}`)
}
const change = async (server: TestServer, link: Created, body: object) =>
  assert.equal((await put(manage(server, link), body)).status, 200)

type Row = { value: string | null; scans: number }
async function countsOf(server: TestServer, link: Created) {
  const { breakdowns } = (await json(fetch(manage(server, link, '/stats')))) as { breakdowns: Record<string, Row[]> }
  const counts = (name: string) =>
    Object.fromEntries((breakdowns[name] ?? []).map(({ value, scans }) => [String(value), scans]))
  return { placement: counts('placement'), source: counts('source') }
}
async function columnOf(server: TestServer, link: Created, name: string): Promise<string[]> {
  const csv = await (await fetch(manage(server, link, '/scans.csv'))).text()
  const [header = [], ...rows] = csv
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  if (name === 'placement') assert.equal(header.at(-1), name, 'it is the last column')
  return rows.map((row) => row[header.indexOf(name)] ?? '?')
}

for (const [store, envOf] of stores) {
  test(`scans of a placement's code are counted apart, and those of made-up ids without one, on ${store}`, async (t) => {
    const env = await envOf(t)
    if (env === undefined) return
    const server = await startServer(t, env)
    const link = await create(server, { target: TARGET, placements })
    assert.deepEqual((await json(fetch(manage(server, link))))['placements'], placements)
    for (const query of ['?qr=Window', '?qr=WINDOW', '?x=1&qr=flyer-5', '?qr=made-up', '?qr=1', '', '?qr=a%20b'])
      assert.equal((await visit(`${server.url}/${link.code}${query}`)).headers.get('location'), TARGET, query)
    assert.deepEqual(await countsOf(server, link), {
      placement: { Window: 2, 'flyer-5': 1, null: 4 },
      source: { qr: 5, link: 2 },
    })
    assert.deepEqual(await columnOf(server, link, 'placement'), ['Window', 'Window', 'flyer-5', '', '', '', ''])
    assert.deepEqual(await columnOf(server, link, 'answer'), Array(7).fill('link'))
  })

  test(`a placement that is removed keeps its past, and its code then leads on without it, on ${store}`, async (t) => {
    const env = await envOf(t)
    if (env === undefined) return
    const server = await startServer(t, env)
    const rules = [{ when: { placement: ['WINDOW', 'gone'] }, then: { target: 'https://example.com/window' } }]
    const link = await create(server, { target: TARGET, placements, rules })
    const scan = async (id: string) => (await visit(`${server.url}/${link.code}?qr=${id}`)).headers.get('location')
    // More than once, so that the link is cached.
    for (let at = 0; at < 3; at++) assert.equal(await scan('window'), 'https://example.com/window')
    assert.equal(await scan('gone'), TARGET, 'no placement of the link')
    await change(server, link, { placements: [{ id: 'flyer-5' }] })
    for (let at = 0; at < 3; at++) assert.equal(await scan('window'), TARGET, 'a removed id never matches')
    assert.deepEqual((await countsOf(server, link)).placement, { Window: 3, null: 4 })
    const image = await fetch(`${server.url}/${link.code}/qr.png?placement=window`)
    assert.equal(image.status, 400)

    const { revisions } = (await json(fetch(manage(server, link, '/history')))) as {
      revisions: { revision: number; changes: Record<string, unknown> | null }[]
    }
    assert.deepEqual(revisions[0]?.changes, { placements: { before: placements, after: [{ id: 'flyer-5' }] } })
    await post(manage(server, link, '/revert'), { revision: 1 })
    assert.equal(await scan('window'), 'https://example.com/window', 'a revert brings it back')
  })
}

test('the image of a placement encodes the short URL with its id as the owner wrote it, also without QR_MARKER', async (t) => {
  for (const marker of ['on', 'off']) {
    const server = await startServer(t, { QR_MARKER: marker })
    const link = await create(server, { target: TARGET, placements })
    const read = async (path: string) => {
      const answer = await fetch(`${server.url}/${link.code}/qr.${path}`)
      assert.equal(answer.status, 200, path)
      return answer
    }
    for (const query of ['?placement=Window', '?placement=wINDOW&size=600', '?placement=Window&compact=0']) {
      const [found] = await readBarcodes(new Uint8Array(await (await read(`png${query}`)).arrayBuffer()))
      assert.equal(found?.text, `${link.short_url}?qr=Window`)
    }
    assert.match((await read('svg?placement=flyer-5')).headers.get('content-disposition') ?? '', /-flyer-5\.svg/)
    assert.equal((await read('pdf?placement=flyer-5')).headers.get('content-type'), 'application/pdf')
    await change(server, link, { design: { shape: 'dots' }, password: 'correct horse' })
    const [designed] = await readBarcodes(new Uint8Array(await (await read('png?placement=Window')).arrayBuffer()))
    assert.equal(designed?.text, `${link.short_url}?qr=Window`, 'of a link with a design and a password')
    const refused = (query: string) => errorsOf(fetch(`${server.url}/${link.code}/qr.png?${query}`))
    assert.deepEqual(await refused('placement=other'), ['/placement is no placement of this link'])
    assert.deepEqual(await refused('placement=Window&compact=1'), [
      '/compact must be 0 with placement, whose id keeps its case',
    ])
    const none = await create(server, { target: TARGET })
    assert.equal((await fetch(`${server.url}/${none.code}/qr.svg?placement=1`)).status, 400)
  }
})

test('what is no list of placements is refused with the field and the bound', async (t) => {
  const server = await startServer(t)
  const errors = (list: unknown) => errorsOf(post(`${server.url}/api/links`, { target: TARGET, placements: list }))
  assert.match((await errors('x')).join(), /^\/placements must be an array/)
  assert.match((await errors([{ id: 'a b' }])).join(), /^\/placements\/0\/id must be 1 to 32 characters/)
  assert.match((await errors([{ id: 'x'.repeat(33) }])).join(), /\/id must be 1 to 32/)
  assert.match((await errors([{ name: 'x' }])).join(), /^\/placements\/0\/id is required/)
  assert.match((await errors([{ id: 'a', name: 'x'.repeat(81) }])).join(), /\/name must be at most 80 characters/)
  assert.match((await errors([{ id: 'a', place: 'x' }])).join(), /^\/placements\/0\/place is not a field/)
  assert.deepEqual(await errors([{ id: '1' }]), [
    '/placements/0/id must not be 1, which is in the code without a placement',
  ])
  assert.deepEqual(await errors([{ id: 'Door' }, { id: 'x' }, { id: 'dOOR' }]), [
    '/placements/2/id is the id of /placements/0, too; case is ignored',
  ])
  const many = Array.from({ length: 101 }, (_, at) => ({ id: `p${at}` }))
  assert.match((await errors(many)).join(), /^\/placements must hold at most 100 items/)

  const link = await create(server, { target: TARGET, placements: many.slice(1) })
  await change(server, link, { placements: null })
  assert.deepEqual((await json(fetch(manage(server, link))))['placements'], [], 'null clears them')
  const rules = [{ when: { placement: ['a b'] }, then: { target: TARGET } }]
  assert.match(
    (await errorsOf(put(manage(server, link), { rules }))).join(),
    /^\/rules\/0\/when\/placement\/0 must be the id of a placement/,
  )
  const bulk = await post(`${server.url}/api/bulk`, [{ target: TARGET, placements }])
  const { results } = (await bulk.json()) as { results: { token: string }[] }
  const made = await json(fetch(`${server.url}/api/manage/${results[0]?.token}`))
  assert.deepEqual(made['placements'], placements, 'each row of a bulk may have some')
})

test('the owner adds, renames and removes places on the page, and downloads the code of each', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: TARGET })
  const send = (form: Record<string, string>, language = 'en') =>
    fetch(`${server.url}/m/${link.token}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { 'accept-language': language },
      redirect: 'manual',
    })
  const stored = async () => (await json(fetch(manage(server, link))))['placements']
  const page = async (language = 'en') =>
    (await fetch(`${server.url}/m/${link.token}`, { headers: { 'accept-language': language } })).text()

  const added = await send({ action: 'placement', 'placement-id': 'window', 'placement-name': 'Shop <window>' })
  assert.equal(added.status, 303)
  await send({ action: 'placement', 'placement-id': 'flyer', 'placement-name': '' })
  await send({ action: 'placement', 'placement-id': 'WINDOW', 'placement-name': 'Door' })
  assert.deepEqual(await stored(), [{ id: 'window', name: 'Door' }, { id: 'flyer' }])
  await visit(`${server.url}/${link.code}?qr=window`)
  await server.services.scans.awaitFold()
  const text = await page()
  for (const format of ['png', 'svg', 'pdf'])
    assert.ok(text.includes(`/${link.code}/qr.${format}?placement=window`), format)
  assert.match(text, /Where does it hang\?<\/h3>[^]*>Door</)
  assert.match(await page('de'), /Wo hängt er\?<\/h3>/)

  const refused = await send({ action: 'placement', 'placement-id': '1', 'placement-name': 'One' })
  assert.equal(refused.status, 400)
  const shown = await refused.text()
  assert.match(shown, /Use 1 to 32 letters/)
  assert.ok(shown.includes('value="One"'), 'what was typed stays')
  assert.equal((await send({ action: 'placement-removal', id: 'Window' })).status, 303)
  assert.deepEqual(await stored(), [{ id: 'flyer' }])
})
