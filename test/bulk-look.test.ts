// The page that creates many links lets a person choose how their codes look, before there are any.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { accessibilityFaults, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import type { CreatedCollection } from './support/collections.ts'
import { requireProgram } from './support/programs.ts'
import { post, put, startServer, type TestServer } from './support/server.ts'

const end = endOfFile()
const inBrowser = testsIn(sharedWindows(end, () => server.url))
let server: TestServer
before(async () => {
  server = await startServer(end)
})

const CSV = 'Download links and private addresses (CSV)'

/** Opens the page with rows that are checked. */
async function openChecked(page: Page, rows: string[], n = rows.length): Promise<void> {
  await page.goto(`${server.url}/bulk`)
  await page.locator('textarea').fill(rows.join('\n'))
  await page.locator('.bulk-actions [type=submit]').click()
  await page.getByRole('button', { name: 'Check the rows' }).click()
  await page.getByText(`All ${n} rows are ready.`).waitFor()
}

const urls = (n: number) => Array.from({ length: n }, (_, at) => `https://example.com/${at}`)

const step = (page: Page) => page.locator('.bulk-look')
async function openStep(page: Page): Promise<void> {
  await step(page).locator('> summary').click()
  await step(page).locator('figure img').first().waitFor()
}

/** Forgets what the page keeps, which would meet the next test. */
const forget = (page: Page) => page.evaluate('localStorage.clear(); sessionStorage.clear()')

async function createdLinks(page: Page): Promise<{ token: string; code: string; design: object | null }[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: CSV }).click()])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/).slice(1)
  return Promise.all(
    lines.map(async (line) => {
      const [, , token = '', code = ''] = line.split(',')
      const details = await fetch(`${server.url}/api/manage/${token}`)
      return { token, code, design: ((await details.json()) as { design?: object }).design ?? null }
    }),
  )
}

const create = (page: Page, n: number) =>
  page.getByRole('button', { name: n === 1 ? 'Create one link' : `Create ${n} links` }).click()
const isDone = (page: Page, n: number) =>
  page.getByRole('heading', { name: n === 1 ? 'One link is ready' : `${n} links are ready` }).waitFor()

inBrowser(
  'who wants plain codes sees one closed line, and loads no designer',
  async (page) => {
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await openChecked(page, urls(2))
    assert.equal(await step(page).locator('> summary').innerText(), 'Look of the codes: black on white')
    assert.equal(await step(page).locator('form').isVisible(), false)
    await create(page, 2)
    await isDone(page, 2)
    assert.deepEqual(
      loaded.filter((url) => url.includes('/assets/design-')),
      [],
    )
    assert.deepEqual(
      (await createdLinks(page)).map(({ design }) => design),
      [null, null],
    )
    await forget(page)
  },
  { scripts: true },
)

inBrowser(
  'a look is shown on the codes of the first rows, and all links get it, as a look of their collection',
  async (page) => {
    // The policy of the page lets no script read what it shows.
    await page.addInitScript(`{
      window.drawn = []
      const create = URL.createObjectURL
      URL.createObjectURL = (blob) => {
        drawn.push(blob)
        return create(blob)
      }
    }`)
    await openChecked(page, ['target;alias;title', 'https://example.com/;table-1;Table 1', ...urls(3)], 4)
    await openStep(page)
    assert.equal(await step(page).locator('figure').count(), 3)
    assert.equal(await step(page).locator('figcaption').first().innerText(), 'Row 1: Table 1')
    await step(page).getByRole('button', { name: 'Basil' }).click()
    await step(page)
      .getByText(/^(Good|Excellent):/)
      .waitFor()
    const preview = (await page.evaluate<string[]>('Promise.all(drawn.slice(-3).map((blob) => blob.text()))'))[0] ?? ''
    assert.match(preview, /<desc>http:\/\/[^<]*\/table-1\?qr=1<\/desc>/)
    // Its contrast cannot be told of a sign alone.
    const faults = (await accessibilityFaults(page)).filter((fault) => !fault.includes('.bulk-ready'))
    assert.deepEqual(faults, [])
    assert.equal(await step(page).locator('> summary').innerText(), 'Look of the codes: a look of your own')
    await create(page, 4)
    await isDone(page, 4)
    const links = await createdLinks(page)
    const basil = { shape: 'dots', eye_frame: 'circle', eye_ball: 'circle', fg: '#0b5a3c', bg: '#f3faf4' }
    assert.deepEqual(
      links.map(({ design }) => design),
      Array.from({ length: 4 }, () => basil),
    )
    assert.equal(await (await fetch(`${server.url}/table-1/qr.svg`)).text(), preview, 'it looks as the preview did')
    const address = (await page.locator('.keep-address a').textContent()) ?? ''
    const collection = await (await fetch(address.replace('/c/', '/api/collections/'))).json()
    assert.deepEqual((collection as { looks: object }).looks, { 'Look of the list': basil })
    await forget(page)
  },
  { scripts: true },
)

inBrowser(
  'links without a collection get the look as well',
  async (page) => {
    await openChecked(page, ['https://example.com/1', 'https://example.com/2'])
    await page.getByLabel('Keep them together in a collection').uncheck()
    await openStep(page)
    await step(page).getByRole('button', { name: 'Ink' }).click()
    await step(page)
      .getByText(/^(Good|Excellent):/)
      .waitFor()
    await create(page, 2)
    await isDone(page, 2)
    const designs = (await createdLinks(page)).map(({ design }) => JSON.stringify(design))
    assert.deepEqual(
      designs.map((design) => design.includes('"classy"')),
      [true, true],
    )
    await forget(page)
  },
  { scripts: true },
)

inBrowser(
  'a look that cannot be scanned says which field, and nothing is created with it',
  async (page) => {
    await openChecked(page, urls(2))
    await openStep(page)
    await step(page).getByLabel('Colour', { exact: true }).first().fill('#fefefe')
    await step(page).locator('#fault-fg').getByText(/\S/).waitFor()
    await create(page, 2)
    await page.getByText('These codes cannot have this look').waitFor()
    await step(page).getByRole('button', { name: 'Black on white again' }).click()
    await step(page).getByText('black on white', { exact: true }).waitFor()
    await create(page, 2)
    await isDone(page, 2)
    assert.deepEqual(
      (await createdLinks(page)).map(({ design }) => design),
      [null, null],
    )
    await forget(page)
  },
  { scripts: true },
)

inBrowser(
  'a look of a collection that this browser keeps is offered with it, shown, and copied to the links',
  async (page) => {
    const opened = await post(`${server.url}/api/collections`, { name: 'Shop' })
    const { token, name, created_at } = (await opened.json()) as CreatedCollection
    const blue = { fg: '#123456', shape: 'dots' }
    await put(`${server.url}/api/collections/${token}`, { looks: { blue } })
    const kept = { format: 'quirl-links', version: 1, links: [], collections: [{ token, name, created_at }] }
    await page.goto(`${server.url}/bulk`)
    await page.evaluate(`localStorage.setItem('quirl.collections', ${JSON.stringify(JSON.stringify(kept))})`)
    await openChecked(page, urls(2))
    await page.getByLabel('Collection', { exact: true }).selectOption('Shop')
    await openStep(page)
    await step(page).getByLabel('Look', { exact: true }).selectOption('blue')
    assert.equal(await step(page).locator('form').isVisible(), false)
    await step(page)
      .getByText(/^(Good|Excellent):/)
      .waitFor()
    assert.equal(await step(page).locator('> summary').innerText(), 'Look of the codes: blue')
    await create(page, 2)
    await isDone(page, 2)
    assert.deepEqual(
      (await createdLinks(page)).map(({ design }) => design),
      [blue, blue],
    )
    const { looks } = (await (await fetch(`${server.url}/api/collections/${token}`)).json()) as { looks: object }
    assert.deepEqual(looks, { blue }, 'the collection has no further look')
    await forget(page)
  },
  { scripts: true },
)

inBrowser(
  'a row whose code cannot have the look is shown with its reason, and is created with another look',
  async (page) => {
    await openChecked(page, urls(3))
    await openStep(page)
    await step(page).getByRole('button', { name: 'Berry' }).click()
    await step(page)
      .getByText(/^(Good|Excellent):/)
      .waitFor()
    let isFirst = true
    const error = {
      code: 'unscannable',
      detail: '/design/shape must be changed: without shape the image can be read',
      errors: [{ pointer: '/design/shape', detail: 'must be changed: without shape the image can be read' }],
    }
    // Such a code is one of thousands: the answer for the second row is replaced, whose link is never created.
    await page.route('**/api/bulk', async (route) => {
      if (!isFirst) return route.continue()
      isFirst = false
      const rows = JSON.parse(route.request().postData() ?? '[]') as object[]
      const answer = await route.fetch({ postData: JSON.stringify([rows[0], rows[2]]) })
      const { results } = (await answer.json()) as { results: object[] }
      return route.fulfill({
        status: 201,
        json: { created: 2, failed: 1, results: [results[0], { index: 1, error }, results[1]] },
      })
    })
    await create(page, 3)
    await page.getByText('One row needs a correction.').waitFor()
    await page.getByText(/^Look: The look cannot be used with this code\. .*shape/i).waitFor()
    await step(page).getByRole('button', { name: 'Classic' }).click()
    await create(page, 1)
    await isDone(page, 3)
    await page.unroute('**/api/bulk')
    assert.deepEqual((await createdLinks(page)).map(({ design }) => design === null).toSorted(), [false, false, true])
    await forget(page)
  },
  { scripts: true },
)

inBrowser(
  'after a reload in the middle, the links are created with the look that was chosen',
  async (page) => {
    await openChecked(page, urls(2))
    await openStep(page)
    await step(page).getByRole('button', { name: 'Copper' }).click()
    await step(page)
      .getByText(/^(Good|Excellent|Fair):/)
      .waitFor()
    await page.route('**/api/bulk', (route) => route.abort())
    await create(page, 2)
    await page.getByText('The service did not respond.').waitFor()
    await page.unroute('**/api/bulk')
    await page.reload()
    await page.getByRole('button', { name: 'Continue' }).click()
    await isDone(page, 2)
    const designs = (await createdLinks(page)).map(({ design }) => JSON.stringify(design))
    assert.deepEqual(
      designs.map((design) => design.includes('"diamond"')),
      [true, true],
    )
    await forget(page)
  },
  { scripts: true },
)

inBrowser(
  'the codes of a list are saved as PNG, named by their titles, with their look and a manifest',
  async (page, t) => {
    if (!requireProgram(t, 'unzip', 'unzip') || !requireProgram(t, 'zbarimg', 'zbar-tools')) return
    await openChecked(page, ['target;title', 'https://example.com/1;CON', 'https://example.com/2;../Tisch'], 2)
    await openStep(page)
    await step(page).getByRole('button', { name: 'Basil' }).click()
    await step(page)
      .getByText(/^(Good|Excellent):/)
      .waitFor()
    await create(page, 2)
    await isDone(page, 2)
    await page.getByLabel('Images').selectOption('png')
    await page.getByLabel('File names').selectOption('title')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download QR codes (ZIP)' }).click(),
    ])
    const folder = temporaryFolder(t)
    const archive = join(folder, 'links.zip')
    await download.saveAs(archive)
    execFileSync('unzip', ['-qq', archive, '-d', folder])
    const read = (name: string): Record<string, string>[] =>
      parse(readFileSync(join(folder, name)), { columns: true, bom: true })
    const manifest = read('manifest.csv')
    assert.deepEqual(
      manifest.map(({ file, title, error }) => [file, title, error]),
      [
        ['_CON.png', 'CON', ''],
        ['Tisch.png', '../Tisch', ''],
      ],
    )
    for (const { file = '', short_url: url } of manifest) {
      const text = execFileSync('zbarimg', ['--quiet', '--raw', join(folder, file)], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      assert.equal(text.toString().trim(), `${url}?qr=1`)
    }
    assert.equal(read('links.csv').filter(({ token = '' }) => token.length === 43).length, 2)
    assert.equal(Object.keys(manifest[0] ?? {}).includes('token'), false, 'the manifest can be handed on')
    await forget(page)
  },
  { scripts: true },
)
