import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { before, test, type TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { passwordTexts } from '../src/visits/password-texts.ts'
import { accessibilityFaults, isFault, launchChromium, press } from './support/browser.ts'
import { endOfFile, undoLater } from './support/cleanup.ts'
import { listen } from './support/http-server.ts'
import { cheapScrypt } from './support/passwords.ts'
import { PATIENCE_MS } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { create, startServer, type TestServer } from './support/server.ts'

const PASSWORD = 'correct horse battery'
const TARGET = 'http://example.com/menu?table=4#today'

const end = endOfFile()
let server: TestServer
before(async () => {
  server = await startServer(end, {}, undefined, { scrypt: cheapScrypt })
})

/** A browser in which the name of the destination is a site of this file. */
async function launch(): Promise<Browser> {
  const port = await listen(
    end,
    createServer((_request, response) => response.end('The menu')),
  )
  const rules = `--host-resolver-rules=MAP example.com 127.0.0.1:${port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`
  const browser = await launchChromium([rules])
  undoLater(end, () => browser.close())
  return browser
}

let launching: Promise<Browser> | undefined

/** A window without scripts, unless a test needs them; what its pages log fails the test. */
async function open(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  launching ??= launch()
  const context = await (await launching).newContext({ javaScriptEnabled: false, ...options })
  undoLater(t, () => context.close())
  context.setDefaultTimeout(PATIENCE_MS)
  const faults: string[] = []
  context.on('console', (message) => {
    // Chromium also informs that a field was focused before `autofocus` was applied.
    if (!isFault(message) || message.text().startsWith('Failed to load resource')) return
    faults.push(message.text())
  })
  undoLater(t, () => assert.deepEqual(faults, []))
  return context.newPage()
}

const inBrowser = (name: string, run: (t: TestContext) => Promise<void>) =>
  test(name, async (t) => {
    if (requireProgram(t, 'chromium-headless-shell', 'chromium-headless-shell')) await run(t)
  })

inBrowser('a visitor without scripts mistypes the password, then types it, and is where the link leads', async (t) => {
  const page = await open(t, { locale: 'de-CH' })
  const link = await create(server, { target: TARGET, password: PASSWORD })
  await page.goto(`${link.short_url}?qr=1`)
  const { label, button, wrong } = passwordTexts.de
  await page.getByLabel(label).fill('wrong horse')
  assert.equal(await press(page, button), 403)
  assert.equal(await page.getByRole('alert').textContent(), wrong)
  assert.equal(await page.getByLabel(label).inputValue(), '')
  await page.getByLabel(label).fill(PASSWORD)
  await page.getByRole('button', { name: button }).click()
  await page.waitForURL(TARGET)
  assert.equal(await page.textContent('body'), 'The menu')
  const details = await (await fetch(`${server.url}/api/manage/${link.token}`)).json()
  assert.partialDeepStrictEqual(details, { totals: { scans: 1, qr: 1 } })
})

inBrowser('a visitor opens a contact, and saves it with the password as well', async (t) => {
  const page = await open(t)
  const link = await create(server, { kind: 'vcard', firstName: 'Ada', password: PASSWORD })
  const { label, button } = passwordTexts.en
  await page.goto(link.short_url)
  await page.getByLabel(label).fill(PASSWORD)
  assert.equal(await press(page, button), 200)
  assert.equal(await page.textContent('h1'), 'Ada')
  await page.getByRole('link', { name: 'Save contact' }).click()
  await page.getByLabel(label).fill(PASSWORD)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  assert.equal((await downloading).suggestedFilename(), `${link.code}.vcf`)
})

inBrowser('the form is accessible and fits a small phone in every language', async (t) => {
  const link = await create(server, { target: TARGET, password: PASSWORD })
  // One window, because opening one costs more than loading the page; the service chooses the language by the header.
  const page = await open(t, { javaScriptEnabled: true, viewport: { width: 320, height: 568 } })
  for (const [locale, texts] of Object.entries(passwordTexts)) {
    await page.setExtraHTTPHeaders({ 'accept-language': locale })
    await page.goto(link.short_url)
    await page.getByLabel(texts.label).fill('wrong horse')
    assert.equal(await press(page, texts.button), 403)
    assert.equal(await page.getAttribute('html', 'lang'), locale)
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320, locale)
    assert.deepEqual(await accessibilityFaults(page), [], locale)
  }
})
