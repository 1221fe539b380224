import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Scan } from '../src/scans/scan.ts'
import { follow, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { randomFrom } from './support/random.ts'
import { seedScans } from './support/seeded-scans.ts'
import { create, post, startServer, type Created, type TestServer } from './support/server.ts'

const now = Date.UTC(2026, 10, 21, 17, 30)

const end = endOfFile()
const inBrowser = testsIn(sharedWindows(end, () => server.url))
let server: TestServer
let link: Created
let people: Scan[]
before(async () => {
  server = await startServer(end, {}, () => now)
  link = await create(server, { target: 'https://example.com/menu', title: 'Menu <&>' })
  people = (await seedScans(server, link, { now, days: 30, perDay: 8, random: randomFrom(7) })).filter(
    ({ bot }) => !bot,
  )
})

const file = (name: string, query = 'days=30&tz=UTC', page = `m/${link.token}`) =>
  fetch(`${server.url}/${page}/statistics/${name}?${query}`)

async function recordsOf(name: string, query?: string): Promise<string[][]> {
  const text = await (await file(name, query)).text()
  return text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
}

test('each table that is shown is a file, of the same window and filters', async () => {
  const days = await recordsOf('series.csv')
  assert.deepEqual(days[0], ['date', 'scans', 'unique_visitors'])
  assert.equal(days.length, 31)
  assert.equal(
    days.slice(1).reduce((sum, [, scans]) => sum + Number(scans), 0),
    people.length,
  )
  const berlin = people.filter(({ city }) => city === 'Berlin')
  const [, ...devices] = await recordsOf('device.csv', 'days=30&tz=UTC&city=Berlin')
  assert.equal(
    devices.reduce((sum, [, scans]) => sum + Number(scans), 0),
    berlin.length,
  )
  const cities = await recordsOf('city.csv')
  assert.deepEqual(cities[0], ['city', 'country', 'scans', 'unique_visitors'])
  assert.deepEqual(cities.find(([city]) => city === 'Berlin')?.slice(0, 3), ['Berlin', 'DE', String(berlin.length)])
  const hours = await recordsOf('heat.csv')
  assert.equal(hours.length, 1 + 7 * 24)
  assert.deepEqual((await recordsOf('series.csv', 'from=2026-11-01&to=2026-11-14&interval=week'))[2]?.[0], '2026-11-02')
  const { headers } = await file('device.csv')
  assert.match(
    headers.get('content-disposition') ?? '',
    new RegExp(`^attachment; filename="${link.code}-device\\.csv"$`),
  )
  assert.equal(headers.get('cache-control'), 'no-store')
})

test('what a reader may not see is no file for him, and what nobody has is none', async () => {
  const shareOf = async (body: object) => {
    const response = await post(`${server.url}/api/manage/${link.token}/share`, body)
    return `s/${((await response.json()) as { share_token: string }).share_token}`
  }
  const [bare, full] = [await shareOf({}), await shareOf({ csv: true })]
  for (const [name, status] of Object.entries({
    'series.csv': 200,
    'map.svg': 200,
    'heat.csv': 404,
    'heat.svg': 404,
  })) {
    assert.equal((await file(name, 'days=30', bare)).status, status, name)
    assert.equal((await file(name, 'days=30', full)).status, 200, name)
  }
  const all = await (await file('device.csv', 'days=30&tz=UTC', bare)).text()
  assert.equal(
    await (await file('device.csv', 'days=30&tz=UTC&city=Berlin', bare)).text(),
    all,
    'it has no such filter',
  )
  assert.equal((await file('scans.csv')).status, 404)
  for (const page of ['m/nobody', `s/${link.token}`, full.replace('s/', 'm/')])
    assert.equal((await file('series.csv', '', page)).status, 404, page)
})

inBrowser('each chart is a picture that stands by itself, with its days and filters', async (page) => {
  for (const [name, heading] of Object.entries({
    'chart.svg': 'Visits by day',
    'heat.svg': 'Hours of the week',
    'map.svg': 'Map of countries',
  })) {
    const response = await file(name, 'days=30&tz=UTC&country=DE')
    assert.match(response.headers.get('content-type') ?? '', /^image\/svg\+xml/)
    const text = await response.text()
    for (const part of [heading, '23 Oct 2026 – 21 Nov 2026 (UTC)', 'country: DE', link.short_url.split('//')[1] ?? ''])
      assert.ok(text.includes(part), `${name}: ${part}`)
    assert.doesNotMatch(text, /script|href|url\(/)
    await page.goto('about:blank')
    const size = await page.evaluate<[string, number]>(`(() => {
      const { documentElement: root } = new DOMParser().parseFromString(${JSON.stringify(text)}, 'image/svg+xml')
      return [root.localName, Number(root.getAttribute('width'))]
    })()`)
    assert.deepEqual(size, ['svg', 960], name)
  }
})

inBrowser(
  'a printed report has the days, the filters, the time and all that is shown, and no controls',
  async (page) => {
    await page.goto(`${server.url}/m/${link.token}?view=detail&tz=UTC`)
    await follow(page, page.locator('#list-country').getByRole('link', { name: 'Germany' }))
    await page.emulateMedia({ media: 'print' })
    const text = await page.locator('main').innerText()
    for (const part of [
      'Menu <&>',
      link.short_url,
      'as of 21 Nov 2026, 17:30',
      '23 Oct 2026 – 21 Nov 2026',
      'country:',
      'Hours of the week',
      'Map of countries',
      'Berlin',
    ])
      assert.ok(text.includes(part), part)
    assert.doesNotMatch(text, /CSV|SVG|This month|Remove|Time zone|Show/)
    await page.emulateMedia({ media: 'screen' })
  },
)
