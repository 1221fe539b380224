// Each page on plain HTTP at a name that is not this machine's, as on the network of a home or an office: there, browsers
// lack what they have only in secure contexts (the clipboard, `crypto.randomUUID`, sharing). Each page does its main job.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { follow, press, sharedWindows, testsIn, type, untilTrue } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { startDns, type TestDns } from './support/dns.ts'
import { cheapScrypt } from './support/passwords.ts'
import { skipUnlessCi } from './support/programs.ts'
import { fileEndings } from './support/kinds.ts'
import { create, post, put, startServer, type Created, type TestServer } from './support/server.ts'

const HOST = 'go.bakery.shop'
const SITE = `http://${HOST}`
const TARGET = 'https://example.com/menu'
const PASSWORD = 'correct horse battery'
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1'

const end = endOfFile()
let server: TestServer
let dns: TestDns
/** Milliseconds that a test did not wait. */
let skipped = 0
before(async () => {
  dns = await startDns(end, { [HOST]: { a: ['192.0.2.1'] } })
  const now = () => Date.now() + skipped
  server = await startServer(end, { BASE_URL: SITE, DNS_SERVERS: dns.address }, now, { scrypt: cheapScrypt })
})

const windows = sharedWindows(
  end,
  () => SITE,
  () => [`--host-resolver-rules=MAP ${HOST} ${server.url.slice('http://'.length)}, MAP * ~NOTFOUND`],
)
const visited = new Set<string>()

/** Declares a test of what a page is for, with scripts. */
function onPlainHttp(name: string, run: (page: Page) => Promise<void>): void {
  testsIn(windows)(
    name,
    async (page) => {
      const note = (path: string) => void visited.add(path)
      page.on('request', (request) => note(new URL(request.url()).pathname))
      await run(page)
    },
    { scripts: true },
  )
}

async function open(page: Page, path: string, status = 200): Promise<void> {
  const response = await page.goto(SITE + path)
  assert.equal(response?.status(), status, path)
  assert.equal(await page.evaluate('isSecureContext'), false)
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }).first()
const path = ({ token }: Created) => `/m/${token}`
const manage = ({ token }: Created) => `${server.url}/api/manage/${token}`
const visit = ({ code }: Created) =>
  fetch(`${server.url}/${code}`, { redirect: 'manual', headers: { 'user-agent': PHONE } })

/** What the clipboard holds after a press: there is no other way to read it than to paste it. */
async function copied(page: Page, name: string | RegExp): Promise<string> {
  await button(page, name).click()
  await page.getByText('Copied').first().waitFor()
  await page.evaluate(`document.body.append(Object.assign(document.createElement('textarea'), { id: 'pasted' }))`)
  await page.locator('#pasted').focus()
  await page.keyboard.press('Control+V')
  const text = await page.locator('#pasted').inputValue()
  await page.evaluate(`document.querySelector('#pasted').remove()`)
  return text
}

async function saved(page: Page, name: string | RegExp): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

onPlainHttp(
  'the private address of a collection is copied, saved and kept, and all its links are selected',
  async (page) => {
    const opened = await post(`${server.url}/api/collections`, { name: 'Café' })
    const { token } = (await opened.json()) as Pick<Created, 'token'>
    await open(page, `/c/${token}`)
    assert.equal(await copied(page, 'Copy the private address'), `${SITE}/c/${token}`)
    const file = await saved(page, 'Save as .txt file')
    assert.equal(file.name, 'private address of Café.txt')
    assert.ok(file.bytes.toString().includes(`${SITE}/c/${token}`))
    await button(page, 'Keep on this device').click()
    await page.locator('.keep [role=status]', { hasText: 'Kept on this device' }).waitFor()
    for (const target of [TARGET, `${TARGET}/2`])
      await post(`${server.url}/api/links`, { target }, { 'quirl-collection': token })
    await open(page, `/c/${token}`)
    await page.getByLabel('Select all on this page').check()
    await page.getByText('selected: 2').waitFor()
    await page.evaluate('localStorage.clear()')
  },
)

onPlainHttp('the links of this device become a collection', async (page) => {
  await open(page, '/')
  await type(page, { target: TARGET })
  assert.equal(await press(page, 'Create'), 200)
  await page.locator('.keep [role=status]', { hasText: 'Kept on this device' }).waitFor()
  await open(page, '/')
  await page.locator('.kept-every > summary').press('Enter')
  await button(page, 'Create the collection').click()
  await page.waitForURL(/\/c\/collection_/)
  assert.equal(await page.locator('.collection-name').count(), 1)
  await page.evaluate('localStorage.clear()')
})

onPlainHttp(
  'a link is created, its addresses are copied and saved, and the private one is kept, sent and not kept',
  async (page) => {
    await open(page, '/')
    await page.getByRole('link', { name: 'Contact' }).click()
    await page.locator('[name=firstName]').waitFor()
    await page.getByRole('link', { name: 'Web address' }).click()
    await type(page, { target: TARGET, alias: 'menu' })
    await page.locator('.home-state.free').waitFor()
    await untilTrue(page, `document.querySelector('.home-side').textContent.includes('/menu')`)
    assert.equal(await press(page, 'Create'), 200)
    assert.equal(await copied(page, 'Copy the short link'), `${SITE}/menu`)
    assert.match(await copied(page, 'Copy the private address'), /^http:\/\/go\.bakery\.shop\/m\/[\w-]{43}$/)
    assert.equal(await button(page, 'Share').count(), 0, 'nothing offers what does nothing')
    assert.match((await saved(page, 'Save as .txt file')).bytes.toString(), /go\.bakery\.shop\/menu/)
    const status = page.locator('.keep [role=status]')
    await status.filter({ hasText: 'Kept on this device' }).waitFor()
    assert.match((await page.locator('[data-send]').getAttribute('href')) ?? '', /^mailto:/)
    await button(page, 'Shared device? Do not keep it').click()
    await status.filter({ hasText: 'No longer kept' }).waitFor()
  },
)

onPlainHttp('the kept links show their statistics, are copied, exported, forgotten and imported', async (page) => {
  const link = await create(server, { target: TARGET, title: 'Poster' })
  await visit(link)
  await open(page, path(link))
  await page.locator('#keep > summary').click()
  await button(page, 'Keep on this device').click()
  await open(page, '/')
  const row = page.locator('#my-links li').filter({ hasText: 'Poster' })
  // Not the row, which is replaced when its statistics arrive.
  await page.locator('#my-links').scrollIntoViewIfNeeded()
  await row.getByText(/^1 visit,/).waitFor()
  assert.equal(await copied(page, `Copy the short link ${SITE}/${link.code}`), `${SITE}/${link.code}`)
  const file = await saved(page, 'Export')
  await button(page, 'Forget Poster').click()
  await row.waitFor({ state: 'detached' })
  const buffer = file.bytes
  await page.locator('#my-links [type=file]').setInputFiles({ name: file.name, mimeType: 'application/json', buffer })
  await row.waitFor()
  await page.evaluate('localStorage.clear()')
})

onPlainHttp('the rows of a workbook are read', async (page) => {
  await open(page, '/bulk')
  const links = fileURLToPath(new URL('fixtures/tables/links.xlsx', import.meta.url))
  await page.locator('[type=file]').setInputFiles(links)
  await page.getByText('4 rows were read.').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Title, row 3' }).inputValue(), 'Zürich – 7 €')
})

onPlainHttp('the links of a list are created, copied, and saved with their keys and codes', async (page) => {
  await open(page, '/bulk')
  await page.getByLabel(/Or paste/).fill(`Title,Target\nOne,${TARGET}?table=1\nTwo,${TARGET}?table=2`)
  await button(page, 'Show the rows').click()
  await button(page, 'Check the rows').click()
  await button(page, 'Create 2 links').click()
  await page.getByRole('heading', { name: '2 links are ready' }).waitFor()
  const addresses = (await copied(page, 'Copy all short links')).split('\n')
  assert.equal(addresses.length, 2)
  const location = async (address = '') =>
    (await fetch(address.replace(SITE, server.url), { redirect: 'manual' })).headers.get('location')
  assert.deepEqual(await Promise.all(addresses.map(location)), [`${TARGET}?table=1`, `${TARGET}?table=2`])
  assert.equal(await copied(page, `Copy: ${addresses[1]}`), addresses[1])
  assert.match((await saved(page, /\(CSV\)$/)).bytes.toString(), /table=1/)
  assert.equal((await saved(page, /\(ZIP\)$/)).bytes.toString('latin1', 0, 2), 'PK')
  await button(page, /^Sheet/).click()
  await untilTrue(
    page,
    `[...document.querySelectorAll('.bulk-sheet img')].filter((each) => each.naturalWidth > 0).length === 2`,
  )
})

onPlainHttp(
  'where the browser refuses to copy, a button shows the text selected, or says where it is',
  async (page) => {
    const refuse = () => page.evaluate('document.execCommand = () => false')
    const link = await create(server, { target: TARGET })
    await open(page, path(link))
    await refuse()
    for (let press = 0; press < 2; press++) await button(page, 'Copy').click()
    const field = page.getByLabel('The browser did not copy it. It is selected here')
    assert.equal(await field.inputValue(), link.short_url)
    assert.equal(await page.evaluate('getSelection().toString()'), link.short_url)

    await open(page, '/bulk')
    await refuse()
    await page.getByLabel(/Or paste/).fill(`One,${TARGET}`)
    await button(page, 'Show the rows').click()
    await button(page, 'Check the rows').click()
    await button(page, 'Create one link').click()
    await button(page, 'Copy all short links').click()
    await page.getByRole('status').filter({ hasText: 'The browser did not copy them.' }).waitFor()
  },
)

onPlainHttp('an owner tries a code, whose scan arrives, after comparing the screen with a card', async (page) => {
  const link = await create(server, { target: TARGET })
  await open(page, `${path(link)}/try`)
  await page.getByText('Compare it with a bank card').click()
  await page.locator('#try-slider').fill('110')
  await page.getByText('This browser remembers it').waitFor()
  await page.evaluate('localStorage.clear()')
  await fetch(`${server.url}/${link.code}?qr=1`, { redirect: 'manual', headers: { 'user-agent': PHONE } })
  await page.locator('.try-arrived', { hasText: 'Your phone has read it.' }).waitFor()
})

onPlainHttp('an owner follows the scans, and changes destination, rules and design', async (page) => {
  const link = await create(server, { target: TARGET })
  await visit(link)
  await open(page, path(link))
  const counter = page.locator('.stats-total')
  await counter.filter({ hasText: /^\s*1 visit/ }).waitFor()
  await counter.locator('.chip').waitFor()
  await visit(link)
  await counter.filter({ hasText: /^\s*2 visits/ }).waitFor()
  await page.locator('#statistics').getByRole('link', { name: '7 days' }).click()
  await page.waitForURL(/days=7/)
  assert.equal(await copied(page, 'Copy'), `${SITE}/${link.code}`)

  await page.locator('#lead > summary').click()
  await page.getByLabel('New destination').fill('https://example.org/new')
  await follow(page, page.locator('#lead').getByRole('button', { name: 'Save' }))
  assert.equal((await visit(link)).headers.get('location'), 'https://example.org/new')
  await follow(page, page.getByRole('link', { name: 'Add a rule' }))
  const editor = page.locator('.rule-editor')
  await editor.locator('summary', { hasText: 'System' }).first().click()
  await editor.getByLabel('iOS (iPhone)').check()
  await editor.locator('[name=target]').fill('https://example.com/ios')
  assert.equal(await press(page, 'Save rule'), 200)
  assert.equal((await visit(link)).headers.get('location'), 'https://example.com/ios')

  await page.locator('form.design').scrollIntoViewIfNeeded()
  await page.locator('.preview', { hasText: /^This is the saved design\./ }).waitFor()
  await button(page, 'Berry').click()
  await page.locator('.preview', { hasText: /^Not saved yet\./ }).waitFor()
  await untilTrue(page, `document.querySelector('.preview img').naturalWidth > 0`)
  assert.equal(await press(page, 'Save design'), 200)
  const { design } = (await (await fetch(manage(link))).json()) as { design: unknown }
  assert.notEqual(design, null)
})

onPlainHttp('an owner sees what will be printed while choosing it, and prints it', async (page) => {
  const link = await create(server, { target: TARGET })
  await open(page, `${path(link)}/print`)
  await page.getByLabel('Table tent').check()
  await page.getByRole('img', { name: 'Preview: Table tent' }).waitFor()
  await page.evaluate('window.print = () => (window.isPrinted = true)')
  await button(page, 'Print with this browser').click()
  assert.equal(await page.evaluate('isPrinted'), true)
})

onPlainHttp('an owner locks, shares and pauses a link, gets a new key, and deletes it', async (page) => {
  const link = await create(server, { target: TARGET })
  const unfold = async (card: string) => {
    await page.locator(`#settings-${card} > summary`).click()
    await page.locator(`#settings-${card}[open]`).waitFor()
  }
  await open(page, path(link))
  await unfold('password')
  await button(page, 'Show the password').click()
  await page.locator('#setting-password').fill(PASSWORD)
  assert.equal(await press(page, 'Set password'), 200)
  await unfold('pause')
  assert.equal(await press(page, 'Pause the link'), 200)
  await unfold('shares')
  assert.equal(await press(page, 'Create shared view'), 200)
  assert.equal(await copied(page, 'Copy'), await page.locator('#secret').inputValue())
  await open(page, path(link))
  await unfold('key')
  await page.getByLabel('I will save the new address').check()
  assert.equal(await press(page, 'Get a new private address'), 200)
  const key = await copied(page, 'Copy')
  assert.equal(key, await page.locator('#secret').inputValue())
  await open(page, new URL(key).pathname)
  await page.getByLabel('Yes, delete this link').check()
  assert.equal(await press(page, 'Delete'), 410)
})

onPlainHttp('a domain is registered, its record and key are copied, and the record is found', async (page) => {
  await page.clock.install()
  await open(page, '/domains')
  await page.getByLabel('Host name').fill('qr.example.com')
  assert.equal(await press(page, 'Continue'), 201)
  assert.equal(await copied(page, `Copy: ${HOST}`), HOST)
  assert.match(await copied(page, /^Copy: [\w-]{43}$/), /^[\w-]{43}$/)
  dns.zones['qr.example.com'] = { cname: HOST }
  // The service checks a name at most every 10 seconds, and the page again after that.
  skipped += 60_000
  await page.clock.runFor(15_000)
  await page.getByText('The DNS record is right: qr.example.com leads here.').waitFor()
})

onPlainHttp('who has a share reads the statistics, and follows them', async (page) => {
  const link = await create(server, { target: TARGET })
  await visit(link)
  const { share_url: url } = (await (await post(`${manage(link)}/share`, {})).json()) as { share_url: string }
  await open(page, new URL(url).pathname)
  await page.getByRole('link', { name: '7 days' }).click()
  await page.waitForURL(/days=7/)
  await page.getByText('Show as a table').click()
  assert.equal(await page.locator('details.stats-table tbody tr').count(), 7)
})

onPlainHttp('a visitor opens a page, a contact, a locked link, and sees where one leads', async (page) => {
  const links = [{ label: 'Privacy', url: 'https://example.com/' }]
  const leaf = await create(server, { kind: 'page', headline: 'Sunny Café', links })
  await open(page, `/${leaf.code}`)
  await page.getByRole('heading', { name: 'Sunny Café' }).waitFor()
  const card = await create(server, { kind: 'vcard', firstName: 'Ada', phone: '+44 20 7946 0000' })
  await open(page, `/${card.code}`)
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('a[href$=".vcf"]').click()])
  assert.match(download.suggestedFilename(), /\.vcf$/)
  const locked = await create(server, { kind: 'page', headline: 'Members', links, password: PASSWORD })
  await open(page, `/${locked.code}`)
  await page.getByLabel('Password').fill(PASSWORD)
  await follow(page, page.getByRole('button'))
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  await open(page, `/${(await create(server, { target: TARGET })).code}+`)
  await page.getByText(TARGET).first().waitFor()
  const paused = await create(server, { target: TARGET })
  await put(manage(paused), { active: false })
  await open(page, `/${paused.code}`, 404)
  await open(page, '/nothing-here', 404)
})

onPlainHttp('a person reports a link, and reads about privacy and the API', async (page) => {
  const link = await create(server, { target: TARGET })
  await open(page, `/report?code=${link.code}`)
  await page.getByLabel('It asks for passwords or money under a false name').check()
  assert.equal(await press(page, 'Report'), 200)
  await open(page, '/privacy')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await open(page, '/docs')
  const examples = await page.locator('pre').allTextContents()
  assert.ok(
    examples.some((text) => text.startsWith(`ORIGIN=${SITE}\n`)),
    examples.join(),
  )
})

/** What is not a page, below the root. */
const notPages = /^(?:healthz|readyz|metrics|robots\.txt|favicon\.ico|\.well-known|internal|api|assets)(?:\/|$)/

test('each page and each script was opened there', (t) => {
  if (visited.size === 0) return skipUnlessCi(t, 'no page was opened: Chromium is not on this machine')
  const routes = server.app.printRoutes({ commonPrefix: false, method: 'GET' })
  const tops = Array.from(routes.matchAll(/^ {4}[├└]── (\S+) \(GET\)$/gm), ([, route = '']) => route)
  assert.ok(tops.includes('bulk') && tops.includes('m/:token'), routes)
  const pages = tops.filter((route) => !notPages.test(route)).map((route) => `/${route}`)
  const patterns: Record<string, RegExp> = {
    '/m/:token': /^\/m\/[\w-]{43}$/,
    '/c/:token(^collection_[\\w-]+$)': /^\/c\/collection_/,
    '/s/:token(^share_[\\w-]+$)': /^\/s\/share_/,
    '/:code': /^\/[\w-]+$/,
    '/:code(^[\\w-]+)+': /^\/[\w-]+\+$/,
  }
  // The file of a link is no page, and the addresses of compact codes show what the plain ones show.
  const others = pages.filter((page) => !['.Q', '.q', ...fileEndings].some((end) => page.endsWith(end)))
  const opened = (page: string) => [...visited].some((path) => patterns[page]?.test(path) ?? path === page)
  assert.deepEqual(
    others.filter((page) => !opened(page)),
    [],
  )
  const islands = readdirSync(new URL('../src/web/client/islands/', import.meta.url)).map((file) => file.slice(0, -3))
  assert.deepEqual(
    islands.filter((name) => ![...visited].some((path) => path.startsWith(`/assets/${name}-`))),
    [],
  )
})
