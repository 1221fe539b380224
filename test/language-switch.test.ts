// A person chooses the language of the pages by a link, and keeps it from page to page, without scripts and cookies.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { languageNames, languages, type Language } from '../src/texts/language.ts'
import { sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { seedPages, type Ask, type SeededPages } from './support/every-page.ts'
import { attributesOf } from './support/said.ts'
import { create } from './support/server.ts'

const ORIGIN = 'http://go.example.com'

const end = endOfFile()
let seeded: SeededPages
before(async () => {
  seeded = await seedPages(end)
})

const inBrowser = testsIn(sharedWindows(end, () => seeded.server.url))

/** Asks as a browser whose language is `prefers`. */
const ask = (path: string, prefers: string, form?: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(seeded.server.url + path, {
    redirect: 'manual',
    headers: { accept: 'text/html', 'accept-language': prefers, ...headers },
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  })

const other = (language: Language): Language => (language === 'en' ? 'de' : 'en')
const inLanguage = (path: string, language: string) => `${path}${path.includes('?') ? '&' : '?'}lang=${language}`
const languageOf = (page: string) => /<html lang="([^"]*)"/.exec(page)?.[1]

/** The elements with this name, each with its attributes. */
function elements(page: string, name: string): Map<string, string>[] {
  return Array.from(page.matchAll(/<([a-z]+)(\s[^<>]*)>/g))
    .filter(([, found]) => found === name)
    .map(([, , attributes = '']) => attributesOf(attributes))
}

const switches = (page: string) => elements(page, 'a').filter((link) => link.has('hreflang'))

/** The addresses that a page leads to, and sends forms to. */
function addressesIn(page: string): string[] {
  const named = [...elements(page, 'a'), ...elements(page, 'form')]
  return named.flatMap((attributes) => attributes.get('href') ?? attributes.get('action') ?? [])
}

/** Whether an address of a page leads to another one that has both languages. */
function isPage(address: string): boolean {
  const path = address.split(/[?#]/, 1)[0] ?? ''
  const names = ['/', '/bulk', '/bulk/sample.csv', '/domains', '/docs', '/report', '/privacy']
  return (
    names.includes(path) ||
    path.startsWith('/m/') ||
    path.startsWith('/s/share_') ||
    path.startsWith('/c/collection_') ||
    path.endsWith('+')
  )
}

/** The pairs of a query but the language, in any order. */
const othersIn = (query: string) => [...new URLSearchParams(query)].filter(([name]) => name !== 'lang').sort()

test('each page leads to itself in the other language, with all its other parameters', async () => {
  for (const prefers of languages) {
    for (const [path, status] of seeded.addresses) {
      const found = switches(await (await ask(path, prefers)).text())
      const to = other(prefers)
      assert.deepEqual(
        found.map((link) => [link.get('lang'), link.get('hreflang')]),
        [[to, to]],
        path,
      )
      const address = new URL(found[0]?.get('href') ?? '', seeded.server.url + path)
      assert.deepEqual(othersIn(address.search), othersIn(new URL(path, ORIGIN).search), path)
      const response = await ask(address.pathname + address.search, prefers)
      const page = await response.text()
      assert.equal(response.status, status, path)
      assert.equal(languageOf(page), to, `${path} in ${to}`)
      assert.equal(response.headers.get('content-language'), to, path)
      assert.match(response.headers.get('vary') ?? '', /accept-language/, path)
      assert.equal(response.headers.get('set-cookie'), null)
      // And back, where it names its own language by now.
      const back = new URL(switches(page)[0]?.get('href') ?? '', address)
      assert.deepEqual(back.searchParams.getAll('lang'), [prefers], path)
    }
  }
})

test('the switch names each language in that language', async () => {
  for (const language of languages) {
    const page = await (await ask('/', language)).text()
    const to = other(language)
    assert.ok(page.includes(`<a href="?lang=${to}" lang="${to}" hreflang="${to}">${languageNames[to]}</a>`))
  }
})

test('a page whose address names a language leads to pages and sends forms in it, and nothing else is touched', async () => {
  let [kept, others] = [0, 0]
  for (const [path] of seeded.addresses) {
    const [plain, chosen] = await Promise.all(
      [ask(path, 'de'), ask(inLanguage(path, 'de'), 'en')].map(async (response) => (await response).text()),
    )
    const before = addressesIn(plain ?? '').filter((address) => !address.startsWith('?'))
    const after = addressesIn(chosen ?? '').filter((address) => !address.startsWith('?'))
    assert.equal(after.length, before.length, path)
    for (const [at, address] of after.entries()) {
      const from = before[at] ?? ''
      assert.doesNotMatch(from, /[?&]lang=/, `${path} names none by itself`)
      if (isPage(from)) {
        const url = new URL(address, ORIGIN)
        assert.deepEqual(url.searchParams.getAll('lang'), ['de'], `${address} of ${path}`)
        url.searchParams.delete('lang')
        const expected = new URL(from, ORIGIN)
        assert.deepEqual([url.pathname, url.hash], [expected.pathname, expected.hash], `${address} of ${path}`)
        assert.deepEqual(othersIn(url.search), othersIn(expected.search), `${address} of ${path}`)
        kept++
      } else {
        assert.equal(address.split('?')[0], from.split('?')[0], path)
        assert.doesNotMatch(address, /[?&]lang=/, path)
        others++
      }
    }
    for (const [, tag = '', rest = ''] of (chosen ?? '').matchAll(/<form ([^<>]*)>([^<]*<input[^<>]*)/g))
      if (!tag.includes('method="post"')) assert.match(rest, /name="lang" value="de"/, `a form of ${path}`)
  }
  assert.ok(kept > 100 && others > 100, `${kept} pages, ${others} other addresses`)
})

test('a form that was asked for in a language is answered in it, without a link that would lose the answer', async () => {
  const askChosen: Ask = (path, form) => ask(inLanguage(path, 'de'), 'en', form)
  for (const { name, status, send } of seeded.forms) {
    const response = await send(askChosen)
    const page = await response.text()
    assert.equal(response.status, status, name)
    // The form of a password is at the address of a visit.
    assert.equal(languageOf(page), name === 'a wrong password' ? 'en' : 'de', name)
    assert.deepEqual(switches(page), [], name)
  }
})

test('a redirect after a form keeps the language, the notice and the place on the page', async () => {
  const form = { kind: 'url', target: 'https://example.com/' }
  const created = await ask('/?create&lang=de', 'en', form)
  assert.equal(created.status, 303)
  assert.match(created.headers.get('location') ?? '', /^\/m\/[\w-]+\?created&lang=de$/)
  assert.match((await ask('/?create', 'de', form)).headers.get('location') ?? '', /^\/m\/[\w-]+\?created$/)

  const { token } = await create(seeded.server, { target: 'https://example.com/' })
  const changed = await ask(`/m/${token}?lang=de`, 'en', { action: 'names', title: 'Xyzzy', revision: '1' })
  const location = changed.headers.get('location') ?? ''
  assert.match(location, /^\/m\/[\w-]+\?\w+&lang=de#\w+/)
  const page = await (await ask(location, 'en')).text()
  assert.equal(languageOf(page), 'de')
  assert.match(page, /role="status"/)
})

test('the language in the address comes before that of the browser, and another value is as good as none', async () => {
  assert.equal(languageOf(await (await ask('/privacy?lang=en', 'de')).text()), 'en')
  for (const query of ['lang=', 'lang=fr', 'lang=DE', 'lang=de-AT', 'lang=constructor', 'lang=fr&lang=en', 'l=en']) {
    const page = await (await ask(`/privacy?${query}`, 'de')).text()
    assert.equal(languageOf(page), 'de', query)
    assert.match(page, /href="\/report"/, `${query} is not kept`)
    assert.equal(languageOf(await (await ask(`/privacy?${query}`, 'en')).text()), 'en', query)
    const address = switches(page)[0]?.get('href') ?? ''
    assert.deepEqual(new URL(address, ORIGIN).searchParams.getAll('lang'), ['en'], `${query} is replaced`)
  }
  const twice = await (await ask('/privacy?lang=de&a=1&l%61ng=de&b', 'en')).text()
  assert.equal(switches(twice)[0]?.get('href'), '?a=1&b&lang=en')
})

test('no path of a request gets into the switch', async () => {
  const page = await (
    await fetch(`${seeded.server.url}//evil.example/"><b>?x="><b>`, { headers: { accept: 'text/html' } })
  ).text()
  for (const link of switches(page)) assert.match(link.get('href') ?? '', /^\?/)
  assert.doesNotMatch(page, /<b>|evil\.example/)
})

test('short links have no parameter for a language: theirs belong to rules and destinations', async () => {
  for (const [path, status] of seeded.visits) {
    const response = await ask(`${path}?lang=de`, 'en')
    const page = await response.text()
    assert.equal(response.status, status, path)
    assert.equal(languageOf(page), 'en', path)
    assert.deepEqual(switches(page), [], path)
    assert.doesNotMatch(page, /lang=de/, path)
  }
  const problem = await ask('/api/no-such-endpoint?lang=de', 'en')
  assert.equal(languageOf(await problem.text()), 'en', 'nor has the API')
})

test('search engines find public pages in each language, and those with a token nowhere', async () => {
  for (const path of ['/', '/bulk', '/domains', '/docs', '/privacy', '/report'])
    for (const query of ['', '?lang=de', '?lang=en']) {
      const page = await (await ask(path + query, 'en')).text()
      const links = elements(page, 'link').filter((link) => link.get('rel') === 'alternate')
      assert.deepEqual(
        links.map((link) => [link.get('hreflang'), link.get('href')]),
        [
          ...languages.map((language) => [language, `${ORIGIN}${path}?lang=${language}`]),
          ['x-default', `${ORIGIN}${path}`],
        ],
        path + query,
      )
    }
  const others = seeded.addresses.filter(([path]) => /^\/[ms]\/|[?+]|no\/such/.test(path))
  assert.ok(others.length > 10)
  for (const [path] of others) assert.doesNotMatch(await (await ask(path, 'en')).text(), /rel="alternate"/, path)
})

test('a cache tells the languages of the API’s guide apart', async () => {
  const tags = await Promise.all(
    ['/docs?lang=en', '/docs?lang=de'].map(async (path) => (await ask(path, 'fr')).headers.get('etag') ?? ''),
  )
  assert.equal(new Set(tags).size, 2)
  const [english = '', german = ''] = tags
  assert.equal((await ask('/docs?lang=de', 'en', undefined, { 'if-none-match': german })).status, 304)
  assert.equal((await ask('/docs?lang=de', 'en', undefined, { 'if-none-match': english })).status, 200)
})

test('the sample file has columns in the language of the page that it was downloaded from', async () => {
  const [chosen, preferred, english] = await Promise.all(
    [ask('/bulk/sample.csv?lang=de', 'en'), ask('/bulk/sample.csv', 'de'), ask('/bulk/sample.csv', 'en')].map(
      async (response) => (await response).text(),
    ),
  )
  assert.equal(chosen, preferred)
  assert.notEqual(chosen, english)
})

inBrowser(
  'what scripts show of a page keeps its language, and the switch follows the address that they give it',
  async (page) => {
    const { url } = seeded.server
    const leadsTo = async () =>
      new URL((await page.locator('footer [hreflang]').getAttribute('href')) ?? '', url).searchParams
    await page.goto(`${url}/?lang=de`)
    await page.locator('.home .tabs [data-kind=vcard]').click()
    assert.match(page.url(), /\?kind=vcard&lang=de$/)
    assert.deepEqual(Object.fromEntries(await leadsTo()), { kind: 'vcard', lang: 'en' })
    await page.locator('footer [hreflang]').click()
    await page.waitForURL(/lang=en/)
    assert.equal(await page.locator('[name=firstName]').count(), 1)

    const [rich = ''] = seeded.addresses.find(([path]) => path.includes('days=365&audience=bot')) ?? []
    await page.goto(`${url}${rich.split('?')[0]}?lang=de`)
    await page.locator('.stats-period a').first().click()
    await page.waitForURL(/days=1&/)
    assert.equal((await leadsTo()).get('days'), '1')
    assert.match(await page.locator('.stats-body').innerText(), /Besucher/)
  },
  { scripts: true },
)
