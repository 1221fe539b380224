// No text of one language stands on a page of the other, whatever the page shows.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { languages, type Language } from '../src/texts/language.ts'
import { endOfFile } from './support/cleanup.ts'
import { seedPages, type Ask, type SeededPages } from './support/every-page.ts'
import { foreignIn, readCatalogues, type Catalogue } from './support/foreign-texts.ts'
import { create, startServer } from './support/server.ts'

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
