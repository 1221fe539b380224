import assert from 'node:assert/strict'
import { before } from 'node:test'
import { accessibilityFaults, follow, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, post, startServer, visit, type TestServer } from './support/server.ts'

const end = endOfFile()
const inBrowser = testsIn(sharedWindows(end, () => server.url))
let server: TestServer
before(async () => {
  // Not the real time: at midnight, the scans would be yesterday's when they are read.
  server = await startServer(end, {}, () => Date.UTC(2026, 10, 22, 12))
})

async function share(scans: number): Promise<string> {
  const link = await create(server, { target: 'https://example.com/', title: 'W'.repeat(200) })
  const referer = `https://${'a-very-long-name-'.repeat(3)}x.example.com/`
  for (let at = 0; at < scans; at++)
    await visit(link.short_url, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', referer })
  const response = await post(`${server.url}/api/manage/${link.token}/share`, { csv: true, destination: true })
  return ((await response.json()) as { share_url: string }).share_url
}

inBrowser(
  'the page of a share has no faults that axe can find, in light and dark, and fits a phone',
  async (page) => {
    for (const [name, url] of Object.entries({ full: await share(3), empty: await share(0) })) {
      await page.setViewportSize({ width: 360, height: 740 })
      await page.goto(url)
      if (name === 'full') await page.getByText('Show as a table').click()
      else await page.getByText('No visits by people in this period.').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [], name)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= 360, `${name} is ${width} pixels wide`)
      assert.equal(await page.getByText('so far').count(), 0)
    }
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)

inBrowser('the page of a share leads to the statistics only, not to pages that make links', async (page) => {
  await page.goto(await share(0))
  assert.equal(await page.getByRole('navigation', { name: 'Pages of this site' }).count(), 0)
  assert.equal(await page.locator('header a').count(), 1)
  await page.goto(server.url)
  assert.ok((await page.locator('header nav a').count()) > 1)
})

inBrowser('a reader without scripts chooses the period, and sees each day', async (page) => {
  await page.goto(await share(2))
  const days = async () => {
    await page.getByText('Show as a table').click()
    return page.locator('details.stats-table tbody tr').allTextContents()
  }
  assert.equal((await days()).length, 30)
  await follow(page, page.getByRole('link', { name: '7 days' }))
  const week = await days()
  assert.equal(week.length, 7)
  assert.match(week.at(-1) ?? '', /2\s+1\s*$/)
  assert.equal(await page.getByRole('link', { name: '7 days' }).getAttribute('aria-current'), 'true')
  assert.match((await page.getByRole('img', { name: 'Visits by day' }).getAttribute('aria-label')) ?? '', /Highest: 2/)
})
