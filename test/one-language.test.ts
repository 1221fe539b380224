// No text of one language stands on a page of the other, whatever the page shows.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { languages, type Language } from '../src/texts/language.ts'
import { endOfFile } from './support/cleanup.ts'
import { seedPages, type Ask, type SeededPages } from './support/every-page.ts'
import { foreignIn, readCatalogues, type Catalogue } from './support/foreign-texts.ts'
import { saidBy } from './support/said.ts'
import { startServer } from './support/server.ts'

const end = endOfFile()
let seeded: SeededPages
let catalogues: Record<Language, Catalogue>
before(async () => {
  seeded = await seedPages(end)
  catalogues = await readCatalogues()
})

/** Asks as a browser whose language is `language`. */
const askIn =
  (language: Language, url = seeded.server.url): Ask =>
  (path, form) =>
    fetch(url + path, {
      redirect: 'manual',
      headers: { accept: 'text/html', 'accept-language': language },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })

/** What is wrong with a response as a page in a language. */
async function faultsOf(name: string, language: Language, response: Response, status: number): Promise<string[]> {
  const page = await response.text()
  const faults = foreignIn(page, language, catalogues)
  if (!page.includes(`<html lang="${language}">`)) faults.push('the page is not in this language')
  if (response.status !== status) faults.push(`the status is ${response.status} in place of ${status}`)
  return faults.map((fault) => `${name} in ${language}: ${fault}`)
}

test('no page says anything in the other language', async () => {
  const faults: string[] = []
  for (const language of languages) {
    for (const [path, status] of [...seeded.addresses, ...seeded.visits])
      faults.push(...(await faultsOf(path, language, await askIn(language)(path), status)))
  }
  assert.deepEqual(faults, [])
})

test('no answer to a form says anything in the other language', async () => {
  const faults: string[] = []
  for (const language of languages) {
    for (const { name, status, send } of seeded.forms)
      faults.push(...(await faultsOf(name, language, await send(askIn(language)), status)))
  }
  assert.deepEqual(faults, [])
})

test('neither does where a code is needed to create, where nothing can be created, and who asks too often', async (t) => {
  const faults: string[] = []
  for (const mode of ['token', 'closed'])
    for (const language of languages) {
      const { url } = await startServer(t, { CREATE: mode, LIMIT_MISSES: '1' })
      const ask = askIn(language, url)
      const refused = mode === 'token' ? 401 : 403
      for (const path of ['/', '/bulk', '/domains'])
        faults.push(...(await faultsOf(path, language, await ask(path), 200)))
      const forms: [path: string, form: Record<string, string>][] = [
        ['/?create', { kind: 'url', target: 'https://example.com/' }],
        ['/bulk', { list: 'https://example.com/', action: 'create' }],
        ['/domains', { action: 'register', name: 'qr.example.com' }],
      ]
      for (const [path, form] of forms)
        faults.push(...(await faultsOf(`a form of ${path}`, language, await ask(path, form), refused)))
      await ask('/never-was')
      faults.push(...(await faultsOf('an impatient visitor', language, await ask('/never-was'), 429)))
    }
  assert.deepEqual(faults, [])
})

test('what these tests look for is found wherever it may stand', async () => {
  for (const { texts, phrases } of Object.values(catalogues)) {
    assert.ok(texts.size > 800, `${texts.size} texts`)
    assert.ok(phrases.size > 500, `${phrases.size} phrases`)
  }
  const page = await (await askIn('en')('/rich+')).text()
  const injected: [from: string, to: string, found: string][] = [
    ['</h1>', '</h1><p>Link melden</p>', 'Link melden'],
    ['</h1>', ' Xyzzy. Bitte prüfen Sie die Datei: Jede Zeile braucht dieselben Spalten.</h1>', 'Bitte prüfen Sie'],
    ['</h1>', '</h1><p>Xyzzy wird geprüft</p>', 'Xyzzy wird geprüft'],
    ['<h1', '<h1 aria-label="Datenschutz"', 'Datenschutz'],
    ['<h1', '<h1 data-texts="{&#34;a&#34;:{&#34;b&#34;:&#34;Erstellen&#34;}}"', 'Erstellen'],
    ['</title>', '</title><meta name="description" content="Link melden" />', 'Link melden'],
  ]
  for (const [from, to, found] of injected) {
    const faults = foreignIn(page.replace(from, to), 'en', catalogues).join('\n')
    assert.ok(faults.includes(found), `${found} was not found in ${to}`)
  }
  assert.deepEqual(foreignIn(page.replace('</h1>', '</h1><p lang="de">Link melden</p>'), 'en', catalogues), [])
})

test('texts of owners are said to be in no language', async () => {
  for (const [path, own] of [
    ['/leaf', ['Xyzzy', 'Plugh']],
    ['/card', ['Zzyx', '+49 30 1']],
    ['/over', ['Xyzzy']],
  ] as const) {
    const response = await askIn('de')(path)
    const said = saidBy(await response.text())
    for (const text of own) {
      const langs = new Set(said.filter((each) => each.text === text).map(({ lang }) => lang))
      assert.deepEqual([...langs], [''], `${text} of ${path}`)
    }
    assert.ok(
      said.some(({ lang }) => lang === 'de'),
      'those of the service are in the language of the visitor',
    )
  }
  assert.equal((await askIn('de')('/leaf')).headers.get('content-language'), null)
  assert.equal((await askIn('de')('/over')).headers.get('content-language'), 'de')
})
