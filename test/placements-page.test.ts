import assert from 'node:assert/strict'
import { before } from 'node:test'
import { press, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, details, startServer, type TestServer } from './support/server.ts'

const TARGET = 'https://example.com/menu'
const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end)
})

inBrowser('an owner names places where the code hangs, and prints the code of each on one page', async (page) => {
  const link = await create(server, { target: TARGET, title: 'Menu' })
  await page.goto(`${server.url}/m/${link.token}`)
  await page.locator('#settings-placements > summary').press('Enter')
  for (const [name, id] of [
    ['Shop window', 'shop-window'],
    ['Straße', 'strasse'],
    ['Shop window', 'shop-window-2'],
  ] as const) {
    await page.getByLabel('Name of the place').fill(name)
    await press(page, 'Save place')
    const { placements } = (await details(server, link)) as { placements: { id: string; name: string }[] }
    assert.deepEqual(placements.at(-1), { id, name })
  }
  await page.getByRole('link', { name: 'Print all codes' }).click()
  assert.deepEqual(await page.locator('.placement-sheet li p').allTextContents(), [
    'Shop window',
    'Straße',
    'Shop window',
  ])
  const sources = await page
    .locator('.placement-sheet img')
    .evaluateAll((images) => images.map((each) => each.getAttribute('src')))
  assert.deepEqual(sources.at(-1), `/${link.code}/qr.svg?placement=shop-window-2`)
  await page.getByRole('link', { name: '← Back to the link' }).click()
  assert.match(page.url(), new RegExp(`/m/${link.token}`))
})
