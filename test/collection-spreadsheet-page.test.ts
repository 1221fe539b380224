import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startWithLinks } from './support/collections.ts'
import { create, put } from './support/server.ts'

async function startPage(t: TestContext) {
  const server = await startWithLinks(t, 0)
  const { token } = await server.collect({ name: 'Shop' })
  for (const alias of ['menu', 'drinks'])
    await create(server, { alias, target: `https://example.com/${alias}`, title: alias }, { 'quirl-collection': token })
  const send = async (fields: Record<string, string | Blob>, status = 200, language = 'en') => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    const headers = { 'accept-language': language }
    const response = await fetch(`${server.url}/c/${token}/links.csv`, { method: 'POST', body, headers })
    const text = await response.text()
    assert.equal(response.status, status, text)
    return text
  }
  const file = (csv: string) => ({ file: new File([csv], 'links.csv', { type: 'text/csv' }) })
  const detailsOf = async (code: string) =>
    (await (await fetch(server.api(token, `/links/${code}`))).json()) as Record<string, unknown>
  return { ...server, token, send, file, detailsOf }
}

/** The changes that the form of a preview sends. */
function changesIn(page: string): string {
  const [, value = ''] = /name="changes" value="([^"]*)"/.exec(page) ?? []
  return value
}

test('the page of a collection leads to its table, and takes it back, in both languages and without scripts', async (t) => {
  const { url, token } = await startPage(t)
  for (const [language, text] of [
    ['en', 'Edit in a spreadsheet'],
    ['de', 'In einer Tabelle bearbeiten'],
  ] as const) {
    const page = await (await fetch(`${url}/c/${token}`, { headers: { 'accept-language': language } })).text()
    assert.ok(page.includes(text))
    assert.ok(page.includes(`href="/api/collections/${token}/links.csv"`))
    assert.match(page, /<form[^>]*links\.csv"[^>]*enctype="multipart\/form-data"/)
  }
})

test('a preview shows old and new by row and changes nothing; its button changes what it has shown, and no more', async (t) => {
  const { send, file, detailsOf, api, token } = await startPage(t)
  const page = await send(file('code;title;campaign\nmenu;<b>Card</b>;\ndrinks;drinks;Bar\nnothing;x;\n'))
  assert.match(page, /2 links would change/)
  assert.match(page, /<td lang="" dir="auto">menu<\/td>\s*<td lang="" dir="auto">&lt;b&gt;Card/)
  assert.match(page, /Row 3 \(nothing\)/)
  assert.equal((await detailsOf('menu'))['title'], 'menu')
  await put(api(token, '/links/drinks'), { title: 'Meanwhile' })
  const done = await send({ changes: changesIn(page) })
  assert.match(done, /1 link was changed/)
  assert.match(done, /Row 2 \(drinks\)/)
  assert.equal((await detailsOf('menu'))['title'], '<b>Card</b>')
  const { title, campaign } = await detailsOf('drinks')
  assert.deepEqual([title, campaign], ['Meanwhile', null])
})

test('what a preview sends back has a third more characters than its JSON, whatever is in it', async (t) => {
  const { send, file, detailsOf } = await startPage(t)
  const title = '&'.repeat(199)
  const packed = changesIn(await send(file(`code,title,campaign\nmenu,${title},${title}\ndrinks,${title},${title}\n`)))
  const json = Buffer.from(packed, 'base64').toString()
  assert.equal((JSON.parse(json) as unknown[]).length, 2)
  assert.ok(packed.length <= Math.ceil(json.length / 3) * 4, `${packed.length} of ${json.length}`)
  assert.match(await send({ changes: packed }), /2 links were changed/)
  assert.equal((await detailsOf('menu'))['title'], title)
})

test('a table without changes, an unreadable one, a workbook and no file get a page that says so', async (t) => {
  const { send, file } = await startPage(t)
  assert.match(await send(file('code,title\nmenu,menu\n')), /Nothing in this table differs/)
  assert.match(await send(file('title\nx\n'), 400), /names the column/)
  assert.match(await send({ file: new File(['PK\u0003\u0004zip'], 'links.xlsx') }, 400, 'de'), /Arbeitsmappe/)
  assert.match(await send({}, 400, 'de'), /Bitte wählen Sie eine Datei/)
  for (const changes of ['[1]', '[', '{}', '']) await send({ changes: Buffer.from(changes).toString('base64') }, 400)
})

test('a table of 3 MB is read to its end', async (t) => {
  const { send, file } = await startPage(t)
  const rows = Array.from({ length: 9_000 }, (_, at) => `x${at},${'long '.repeat(60)}\r\n`)
  assert.match(await send(file(`code,title\r\n${rows.join('')}menu,Last\r\n`)), /1 link would change.*/)
})
