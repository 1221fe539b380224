// The first and the last day of a link, chosen when it is created.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, press, sharedWindows, testsIn, type, typed } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { startServer, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
let now = Date.UTC(2026, 10, 22, 12)
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end, { LIMIT_LINKS: '0' }, () => now)
})

const TARGET = 'https://example.com/offer'

async function rulesOf(page: Page): Promise<unknown> {
  const token = /\/m\/([\w-]{43})/.exec(page.url())?.[1]
  return ((await (await fetch(`${server.url}/api/manage/${token}`)).json()) as { rules: unknown }).rules
}

inBrowser(
  'without scripts a person sets both days, and visitors read when the link starts and that it ended',
  async (page) => {
    now = Date.UTC(2026, 10, 22, 12)
    await page.goto(server.url)
    const days = { starts_on: '2026-12-01', ends_on: '2026-12-31', period_timezone: 'Europe/Berlin' }
    await type(page, { target: TARGET, alias: 'offer', ...days })
    assert.equal(await press(page, 'Create'), 200)
    assert.deepEqual(await rulesOf(page), [
      { when: { until: '2026-12-01T00:00+01:00' }, then: { ended: 'This link starts on 1 December 2026.' } },
      { when: { from: '2027-01-01T00:00+01:00' }, then: { ended: 'This link was valid until 31 December 2026.' } },
    ])
    await page.goto(page.url().replace('?created', ''))
    const top = page.locator('.owner-top')
    await top.getByText('Starts on 1 December 2026 (UTC+1)').waitFor()
    await top.getByText('Last day: 31 December 2026 (UTC+1)').waitFor()
    assert.doesNotMatch((await top.textContent()) ?? '', /rules? (?:is|are) checked/)
    await top.getByRole('link', { name: 'Change: Last day: 31 December 2026 (UTC+1)' }).click()
    assert.equal(await page.locator('#rule-ended').inputValue(), 'This link was valid until 31 December 2026.')

    const visit = async (at: number) => {
      now = at
      const response = await fetch(`${server.url}/offer`, { redirect: 'manual', headers: { accept: 'text/html' } })
      return [
        response.status,
        response.headers.get('location') ?? /<h1>([^<]*)<.*<p[^>]*>([^<]*)</s.exec(await response.text())?.slice(1),
      ]
    }
    const early = ['The link has not started yet', 'This link starts on 1 December 2026.']
    assert.deepEqual(await visit(Date.UTC(2026, 10, 30, 22, 59)), [410, early])
    assert.deepEqual(await visit(Date.UTC(2026, 10, 30, 23)), [302, TARGET])
    assert.deepEqual(await visit(Date.UTC(2026, 11, 31, 22, 59)), [302, TARGET])
    const late = ['This offer has ended', 'This link was valid until 31 December 2026.']
    assert.deepEqual(await visit(Date.UTC(2026, 11, 31, 23)), [410, late])
  },
)

inBrowser('days that cannot be are marked, and what was typed stays', async (page) => {
  const wrong: [days: Record<string, string>, fault: RegExp][] = [
    [{ starts_on: '2026-12-31', ends_on: '2026-12-01' }, /The last day must not be before the first/],
    [{ ends_on: '2026-12-01', period_timezone: 'Berlin' }, /This time zone is unknown/],
  ]
  for (const [days, fault] of wrong) {
    await page.goto(server.url)
    await type(page, { target: TARGET, ...days })
    assert.equal(await press(page, 'Create'), 400)
    assert.match((await page.locator('.home-period .fault').textContent()) ?? '', fault)
    assert.partialDeepStrictEqual(await typed(page), days)
    assert.ok(await page.locator('[name=ends_on]').isVisible())
  }
})

test('no form makes a rule of what is no day', async () => {
  for (const [name, text] of [
    ['ends_on', '2026-02-30'],
    ['ends_on', '9999-12-31'],
    ['starts_on', 'tomorrow'],
    ['starts_on', '+012026-01-01'],
  ] as const) {
    const body = new URLSearchParams({ kind: 'url', target: TARGET, [name]: text })
    const response = await fetch(`${server.url}/?create`, { method: 'POST', body, redirect: 'manual' })
    assert.deepEqual([response.status, text], [400, text])
    assert.match(await response.text(), /This day does not exist/)
  }
})

inBrowser(
  'the time zone is that of the browser, days in German, and nothing overflows at 320 pixels',
  async (page) => {
    await page.setViewportSize({ width: 320, height: 740 })
    await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
    await page.goto(server.url)
    await type(page, { target: TARGET, ends_on: '2027-03-27' })
    const zone = await page.evaluate<string>('new Intl.DateTimeFormat().resolvedOptions().timeZone')
    assert.equal(await page.locator('[name=period_timezone]').inputValue(), zone)
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.locator('[name=period_timezone]').fill('Europe/Berlin')
    assert.equal(await press(page, 'Erstellen'), 200)
    // The clocks are set forward in the night after.
    assert.deepEqual(await rulesOf(page), [
      { when: { from: '2027-03-28T00:00+01:00' }, then: { ended: 'Dieser Link galt bis zum 27. März 2027.' } },
    ])
    await page.evaluate('localStorage.clear()')
    await page.setExtraHTTPHeaders({})
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)
