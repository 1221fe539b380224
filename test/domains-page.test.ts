import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, follow, press, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { startDns, type TestDns } from './support/dns.ts'
import { startServer, type TestServer } from './support/server.ts'
import { domain } from './support/stored-domains.ts'
import { MAX_ACTIVE } from '../src/domains/check-domain.ts'
import { insertDomain } from '../src/domains/store.ts'
import { MAX_WAITING } from '../src/domains/waiting-names.ts'
import { asHolder } from '../src/lib/holder.ts'

const HOST = 'go.bakery.shop'
const NAME = 'qr.example.com'
const MINUTE = 60_000

const end = endOfFile()
const inBrowser = testsIn(sharedWindows(end, () => server.url))
let server: TestServer
let dns: TestDns
let now = Date.UTC(2026, 10, 21)
before(async () => {
  dns = await startDns(end, { [HOST]: { a: ['192.0.2.1'] } })
  server = await startServer(end, { BASE_URL: `https://${HOST}`, DNS_SERVERS: dns.address }, () => now)
})

async function register(page: Page, name: string): Promise<void> {
  await page.goto(`${server.url}/domains`)
  await page.getByLabel('Host name').fill(name)
  assert.equal(await press(page, 'Continue'), 201)
}

async function checkAgain(page: Page): Promise<string> {
  now += MINUTE
  await follow(page, page.getByRole('link', { name: 'Check again' }))
  return (await page.getByRole('status').textContent()) ?? ''
}

inBrowser(
  'a domain is registered, a wrong record is named, the right one found, and the domain removed',
  async (page) => {
    await register(page, `https://${NAME}/`)
    const key = await page.locator('.note code').innerText()
    assert.match(key ?? '', /^[\w-]{43}$/)
    const record = await page.locator('.domains-record').innerText()
    assert.match(record ?? '', /CNAME\s+Name\s+qr\s+in full: qr\.example\.com\s+Value\s+go\.bakery\.shop/)

    assert.match(await checkAgain(page), /Waiting for the DNS record\s+There is no DNS record for qr\.example\.com yet/)
    dns.zones[NAME] = { a: ['203.0.113.9'] }
    assert.match(await checkAgain(page), /leads somewhere else: to 203\.0\.113\.9\. Remove that DNS record/)
    dns.zones[NAME] = { cname: HOST }
    assert.match(await checkAgain(page), /Active\s+The DNS record is right.*Certificate: The web server in front/s)

    await page.getByText('Remove the domain').click()
    await page.getByLabel('Domain key').fill('wrong')
    assert.equal(await press(page, 'Remove'), 404)
    assert.match((await page.getByRole('alert').textContent()) ?? '', /not the domain key/)
    await page.getByText('Remove the domain').click()
    await page.getByLabel('Domain key').fill(key ?? '')
    assert.equal(await press(page, 'Remove'), 200)
    assert.equal(server.services.domains.statusOf(NAME), undefined)
  },
)

inBrowser('what cannot be registered is explained in the language of the browser', async (page) => {
  for (const [language, text] of Object.entries({ en: /cannot be registered/, de: /kann nicht registriert werden/ })) {
    await page.setExtraHTTPHeaders({ 'accept-language': language })
    await page.goto(`${server.url}/domains`)
    await page.locator('[name=name]').fill('not a name')
    await follow(page, page.locator('main button'))
    assert.match((await page.getByRole('alert').textContent()) ?? '', text)
    assert.equal(await page.locator('[name=name]').inputValue(), 'not a name')
  }
  await page.setExtraHTTPHeaders({})
})

inBrowser('a name that another registered is taken over by a record', async (page) => {
  await register(page, 'claimed.example.com')
  await page.goto(`${server.url}/domains`)
  await page.getByLabel('Host name').fill('claimed.example.com')
  assert.equal(await press(page, 'Continue'), 200)
  await page.getByText('Somebody registered').click()
  assert.equal(await press(page, 'Take it over'), 201)
  const [, txt] = await page.locator('.domains-record').allTextContents()
  assert.match(txt ?? '', /TXT\s+Name\s+_quirl\.claimed/)
  const key = (await page.locator('.note code').textContent()) ?? ''
  const [proof = ''] = /quirl-claim=[\w-]{43}/.exec(txt ?? '') ?? []
  dns.zones['_quirl.claimed.example.com'] = { txt: [proof] }
  await checkAgain(page)
  await page.getByText('Remove the domain').click()
  await page.getByLabel('Domain key').fill(key)
  assert.equal(await press(page, 'Remove'), 200)
})

inBrowser('a name that too many others of its domain keep from being registered is claimed instead', async (page) => {
  const active = { registrable: 'crowded.shop', status: 'active', nextCheckAt: now + 60 * MINUTE } as const
  await server.services.db.transaction(async (transaction) => {
    for (let at = 0; at < MAX_ACTIVE; at++) await insertDomain(transaction, domain(`n${at}.crowded.shop`, active))
  })
  await page.goto(`${server.url}/domains`)
  await page.getByLabel('Host name').fill('qr.crowded.shop')
  assert.equal(await press(page, 'Continue'), 409)
  assert.match((await page.getByRole('alert').textContent()) ?? '', /Remove one of them first; or continue/)
  assert.equal(await press(page, 'Continue'), 201)
  const [, txt] = await page.locator('.domains-record').allTextContents()
  assert.match(txt ?? '', /TXT\s+Name\s+_quirl\.qr/)
})

inBrowser(
  'the page finds the record by itself, names the fields of each provider, and has no faults that axe can find',
  async (page) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.clock.install()
    await page.goto(`${server.url}/domains`)
    assert.deepEqual(await accessibilityFaults(page), [])
    await register(page, 'example.com')
    await page.getByText('Hetzner', { exact: true }).click()
    await page.getByText('go.bakery.shop.', { exact: true }).filter({ visible: true }).first().waitFor()
    assert.match((await page.locator('section').last().textContent()) ?? '', /192\.0\.2\.1/)
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
    assert.deepEqual(await accessibilityFaults(page), [])
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert.ok(width <= 360, `the page is ${width} pixels wide`)
    assert.ok((await page.getByRole('button', { name: 'Copy: @' }).count()) > 0)

    dns.zones['example.com'] = { a: ['192.0.2.1'] }
    now += MINUTE
    await page.clock.runFor(15_000)
    await page.getByText('The DNS record is right: example.com leads here.').waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)

inBrowser('a name with an umlaut is shown as its owner writes it, and as DNS records do', async (page) => {
  await register(page, 'münchen-bäckerei.de')
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'münchen-bäckerei.de')
  await page.getByText('In DNS records it is written xn--mnchen-bckerei-dib09a.de.').waitFor()
  assert.equal(await page.title(), 'münchen-bäckerei.de')
  assert.match(await checkAgain(page), /There is no DNS record for münchen-bäckerei\.de yet/)
  dns.zones['xn--mnchen-bckerei-dib09a.de'] = { cname: HOST }
  assert.match(await checkAgain(page), /münchen-bäckerei\.de leads here/)
})

test('who may register no further name reads why, and what to do, in both languages', async (t) => {
  const { url, services } = await startServer(t, { BASE_URL: `https://${HOST}`, DNS_SERVERS: dns.address })
  const holder = asHolder('127.0.0.1')
  for (let at = 0; at < MAX_WAITING; at++) await services.domains.register(`n.stranger${at}.com`, holder)
  for (const [language, text] of Object.entries({ en: /Add their DNS records first/, de: /Legen Sie zuerst deren/ })) {
    const body = new URLSearchParams({ name: NAME, action: 'register' })
    const answer = await fetch(`${url}/domains`, { method: 'POST', body, headers: { 'accept-language': language } })
    assert.equal(answer.status, 409)
    assert.match(await answer.text(), text)
  }
})

test('where the service has no public name, the page says so before anything is registered', async (t) => {
  const { url } = await startServer(t)
  assert.match(await (await fetch(`${url}/domains`)).text(), /This service has no public name yet/)
})
