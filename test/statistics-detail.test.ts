import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Scan } from '../src/scans/scan.ts'
import { accessibilityFaults, follow, press, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { randomFrom } from './support/random.ts'
import { seedScans } from './support/seeded-scans.ts'
import { create, post, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

const now = Date.UTC(2026, 10, 21, 17, 30)

const end = endOfFile()
const inBrowser = testsIn(sharedWindows(end, () => server.url))
let server: TestServer
let link: Created
let people: Scan[]
before(async () => {
  server = await startServer(end, {}, () => now)
  link = await create(server, { target: 'https://example.com/menu', title: 'Menu' })
  const scans = await seedScans(server, link, { now, days: 700, perDay: 4, random: randomFrom(7) })
  people = scans.filter(({ bot }) => !bot)
})

const manage = ({ token }: Created, query = 'view=detail&tz=UTC') => `${server.url}/m/${token}?${query}`
/** The scans of days, both included, in UTC. */
const between = (from: string, to: string) =>
  people.filter(({ at }) => at >= Date.parse(from) && at < Date.parse(to) + 86_400_000)

/** The rows of the table of the chart: their names and scans. */
async function tableOf(page: Page): Promise<[name: string, scans: number][]> {
  const rows = await page.locator('.stats-table tbody tr').all()
  return Promise.all(
    rows.map(async (row): Promise<[string, number]> => {
      const [name = '', scans = ''] = await row.locator('th, td').allTextContents()
      return [name.trim(), Number(scans.replaceAll(/\D/g, ''))]
    }),
  )
}

async function figureOf(page: Page, name: string): Promise<{ value: number; all: string }> {
  const figure = page.locator('.stats-figures > div', { hasText: name })
  const value = Number((await figure.locator('b').textContent())?.replaceAll(/\D/g, ''))
  return { value, all: (await figure.innerText()).replaceAll(/\s+/g, ' ') }
}

inBrowser(
  'a person chooses any days, what the columns count, and the year before to compare with; the address keeps all of it',
  async (page) => {
    await page.goto(manage(link, 'tz=UTC'))
    assert.equal(await page.locator('[name=from]').count(), 0, 'who wants the number only has no more to read')
    await follow(page, page.getByRole('link', { name: 'In detail' }))
    await page.locator('[name=from]').fill('2026-05-04')
    await page.locator('[name=to]').fill('2026-06-14')
    assert.equal(await press(page, 'Show'), 200)
    await follow(page, page.getByRole('link', { name: 'Weeks' }))
    const weeks = await tableOf(page)
    assert.equal(weeks.length, 6)
    assert.deepEqual(weeks[1], ['week from 11 May 2026', between('2026-05-11', '2026-05-17').length])
    await follow(page, page.getByRole('link', { name: 'A year before' }))
    const address = page.url()
    const { value, all } = await figureOf(page, 'Visits by people')
    const then = between('2025-05-04', '2025-06-14').length
    assert.equal(value, between('2026-05-04', '2026-06-14').length)
    const change = Math.round((value / then - 1) * 100)
    assert.ok(all.includes(`${change > 0 ? '+' : ''}${change}% than a year before a year before: ${then} `), all)

    await follow(page, page.getByRole('link', { name: '7 days' }))
    assert.doesNotMatch(page.url(), /interval|from=/)
    await page.goBack()
    assert.equal(page.url(), address)
    assert.deepEqual(await tableOf(page), weeks)
    await follow(page, page.getByRole('link', { name: 'With bots' }))
    await page.getByText('Time zone: UTC').click()
    assert.equal(await press(page, 'Change'), 200)
    const kept = 'from=2026-05-04&to=2026-06-14&audience=all&interval=week&compare=year&view=detail&tz=UTC'
    assert.equal(new URL(page.url()).search, `?${kept}`)
  },
)

inBrowser('an hour is a column of up to 31 days, and the names of months and years are links', async (page) => {
  await page.goto(manage(link, 'view=detail&tz=UTC&from=2026-10-24&to=2026-10-26&interval=hour'))
  const hours = await tableOf(page)
  assert.equal(hours.length, 72)
  assert.deepEqual(hours[25], ['Sun, 25 Oct 2026, 1:00', 0])
  await page.goto(manage(link, 'view=detail&tz=Europe/Berlin&from=2026-10-24&to=2026-10-26&interval=hour'))
  const names = (await tableOf(page)).map(([name]) => name)
  assert.equal(names.length, 73)
  assert.deepEqual(
    names.filter((name) => name.includes('25 Oct 2026, 2:00')),
    ['Sun, 25 Oct 2026, 2:00 (UTC+02:00)', 'Sun, 25 Oct 2026, 2:00 (UTC+01:00)'],
  )
  await page.goto(manage(link))
  await follow(page, page.getByRole('link', { name: 'Last month' }))
  assert.equal((await figureOf(page, 'Visits by people')).value, between('2026-10-01', '2026-10-31').length)
  assert.match(await page.locator('.stats-body > p.quiet').innerText(), /compared with 31 Aug 2026 – 30 Sept 2026/)
})

inBrowser(
  'the hours of the week are a table, with a shade for each number, and countries are on a map',
  async (page) => {
    const counted = between('2026-10-23', '2026-11-21')
    const cells = Array.from({ length: 24 }, (_, hour) =>
      [1, 2, 3, 4, 5, 6, 0].map(
        (day) =>
          counted.filter(({ at }) => new Date(at).getUTCHours() === hour && new Date(at).getUTCDay() === day).length,
      ),
    )
    for (const address of [manage(link), `${await share({ csv: true })}?view=detail&tz=UTC`]) {
      await page.goto(address)
      const table = page.getByRole('table', { name: 'Hours of the week' })
      const rows = await table.locator('tbody tr').all()
      const shown = await Promise.all(
        rows.map(async (row) => (await row.getByRole('cell').allTextContents()).map(Number)),
      )
      assert.deepEqual(shown, cells)
      const largest = table.locator('td.shade-5').first()
      assert.ok(Number(await largest.textContent()) > 0)
      for (const zero of await table.locator('td.shade-0').allTextContents()) assert.equal(zero.trim(), '0')
      const map = page.getByRole('img', { name: 'Map of countries' })
      const inGermany = counted.filter(({ country }) => country === 'DE').length
      assert.match((await map.getAttribute('aria-label')) ?? '', new RegExp(`Germany, ${inGermany}\\.`))
      assert.ok((await map.innerHTML()).includes(`<title>Germany: ${inGermany}</title>`))
      assert.equal(await map.locator('g').count(), new Set(counted.flatMap(({ country }) => country ?? [])).size)
    }
    await page.goto(manage(link, 'tz=UTC'))
    assert.equal(await page.locator('.stats-heat, .stats-map').count(), 0)
  },
)

test('days that nobody can be shown become days that can, and the page says so', async () => {
  const shown = async (query: string) => {
    const text = await (await fetch(manage(link, query))).text()
    const [, from] = /name="from" value="([^"]+)"/.exec(text) ?? []
    const [, to] = /name="to" value="([^"]+)"/.exec(text) ?? []
    return [from, to, text.includes('another period was asked for')]
  }
  const view = 'view=detail&tz=UTC'
  assert.deepEqual(await shown(`${view}&from=2026-05-04&to=2026-05-01`), ['2026-05-01', '2026-05-04', true])
  assert.deepEqual(await shown(`${view}&from=2026-11-01&to=2027-05-01`), ['2026-11-01', '2026-11-21', true])
  assert.deepEqual(await shown(`${view}&from=2020-11-01&to=2026-05-01`), ['2025-05-01', '2026-05-01', true])
  assert.deepEqual(await shown(`${view}&from=2027-01-01`), ['2026-11-21', '2026-11-21', true])
  assert.deepEqual(await shown(`${view}&from=2026-11-05`), ['2026-11-05', '2026-11-21', false])
  for (const wrong of ['from=2026-02-30', 'from=x&to=y', 'from=', 'from=a&from=b', 'interval=hour', 'compare=x'])
    assert.deepEqual(await shown(`${view}&${wrong}`), ['2026-10-23', '2026-11-21', false], wrong)
})

async function share(body: object): Promise<string> {
  const response = await post(`${server.url}/api/manage/${link.token}/share`, body)
  return ((await response.json()) as { share_url: string }).share_url
}

inBrowser('a share without single scans has windows and days, and neither hours nor the year before', async (page) => {
  const query = 'view=detail&tz=UTC&from=2026-11-01&to=2026-11-10&interval=hour&compare=year'
  await page.goto(`${await share({})}?${query}`)
  assert.equal((await tableOf(page)).length, 10)
  assert.match(await page.locator('.stats-body > p.quiet').innerText(), /compared with 22 Oct 2026 – 31 Oct 2026/)
  for (const name of ['Hours', 'A year before']) assert.equal(await page.getByRole('link', { name }).count(), 0)
  assert.equal(await page.getByRole('table', { name: 'Hours of the week' }).count(), 0)
  assert.equal(await page.getByRole('img', { name: 'Map of countries' }).count(), 1)
  await page.goto(`${await share({ csv: true })}?${query}`)
  assert.equal((await tableOf(page)).length, 240)
  assert.match(await page.locator('.stats-body > p.quiet').innerText(), /compared with 1 Nov 2025 – 10 Nov 2025/)
})

inBrowser('a click on a value filters by it, and a chip removes the filter', async (page) => {
  await page.goto(manage(link))
  await follow(page, page.locator('#list-city').getByRole('link', { name: 'Zürich' }))
  await follow(page, page.locator('#list-device').getByRole('link', { name: 'Phone' }))
  const counted = between('2026-10-23', '2026-11-21')
  const inZurich = counted.filter(({ city, country }) => city === 'Zürich' && country === 'CH')
  const people = async () => (await figureOf(page, 'Visits by people')).value
  assert.equal(await people(), inZurich.filter(({ device }) => device === 'mobile').length)
  const chips = () => page.locator('.stats-filters .chip b').allInnerTexts()
  assert.deepEqual(
    (await chips()).map((text) => text.replace(/^\W+(?=\w)/, '')),
    ['Phone', 'Switzerland', 'Zürich'],
  )
  assert.equal(
    new URL(page.url()).search,
    '?days=30&audience=human&tz=UTC&view=detail&device=mobile&country=CH&city=Z%C3%BCrich',
  )
  await follow(page, page.getByRole('link', { name: 'device: Phone' }))
  assert.equal(await people(), inZurich.length)
  await page.goBack()
  assert.equal(await page.locator('.stats-filters .chip').count(), 3)
  await follow(page, page.getByRole('link', { name: 'Remove all filters' }))
  assert.equal(await people(), counted.length)
  await follow(page, page.locator('#list-referrer').getByRole('link', { name: 'Unknown' }))
  assert.equal(await people(), counted.filter(({ referrer }) => referrer === null).length)
  for (const wrong of ['country=(other)', 'device=', 'device=x&city=(other)', `city=${'x'.repeat(400)}`])
    assert.equal((await fetch(manage(link, wrong))).status, 200, wrong)
})

inBrowser('of many values, all are listed by pages, and searched', async (page) => {
  const many = await create(server, { target: 'https://example.com/many' })
  const scans = await seedScans(server, many, { now, days: 2, perDay: 400, random: randomFrom(3), cities: 120 })
  const cities = new Set(scans.flatMap(({ city, bot }) => (bot || city === null ? [] : [city])))
  await page.goto(manage(many))
  const rows = page.locator('#list-city tbody tr')
  assert.equal(await rows.count(), 10)
  await follow(page, page.getByRole('link', { name: /Show all.*Cities/ }))
  const seen: string[] = []
  for (let pages = 1; ; pages++) {
    seen.push(...(await rows.locator('th > span').allInnerTexts()))
    const next = page.locator('#list-city').getByRole('link', { name: 'Next page' })
    if ((await next.count()) === 0) break
    await follow(page, next)
  }
  assert.equal(new Set(seen).size, cities.size)
  await page.locator('#list-city [name=search]').fill('CITY 11')
  assert.equal(await press(page, 'Search'), 200)
  const found = [...cities].filter((city) => city.includes('City 11'))
  assert.equal(await rows.count(), found.length)
  await follow(page, page.getByRole('link', { name: 'Only the most frequent' }))
  assert.equal(await rows.count(), 10)
})

test('where single visits are not stored any longer, a page with filters says so, and one without shows all', async (t) => {
  const short = await startServer(t, { SCAN_RETENTION: '20d' }, () => now)
  const own = await create(short, { target: 'https://example.com/' })
  await seedScans(short, own, { now, days: 30, perDay: 4, random: randomFrom(1) })
  const textOf = async (query: string) =>
    (await fetch(`${short.url}/m/${own.token}?view=detail&tz=UTC&${query}`)).text()
  assert.match(await textOf('days=30&device=mobile'), /Filters count single visits/)
  assert.doesNotMatch(await textOf('days=30'), /Filters count single visits/)
  const week = await textOf('days=15&device=mobile')
  assert.match(week, /Visits by people/)
  assert.doesNotMatch(week, /compared with/, 'the days before are not stored')
})

inBrowser('a share without single scans filters by placement only', async (page) => {
  await page.goto(`${await share({})}?view=detail&tz=UTC&device=mobile`)
  assert.equal(await page.locator('.stats-filters, .stats-panels tbody a').count(), 0)
  assert.equal((await figureOf(page, 'Visits by people')).value, between('2026-10-23', '2026-11-21').length)
})

inBrowser(
  'what the owner has changed, and milestones, are marks of the chart with their words, for him only',
  async (page) => {
    const own = await create(server, { target: 'https://example.com/own' })
    const seeded = await seedScans(server, own, { now, days: 300, perDay: 4, random: randomFrom(5) })
    const humans = seeded.filter(({ bot }) => !bot)
    const changed = await put(`${server.url}/api/manage/${own.token}`, {
      title: 'Summer',
      target: 'https://example.com/new',
    })
    assert.equal(changed.status, 200)
    await page.goto(manage(own, 'view=detail&tz=UTC&days=365'))
    const marks = await page.getByRole('list', { name: 'Marks in the chart' }).getByRole('listitem').allInnerTexts()
    const dayOf = (number: number) =>
      new Date(humans[number - 1]?.at ?? 0).toLocaleDateString('en-GB', {
        weekday: 'short',
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        timeZone: 'UTC',
      })
    const milestones = [10, 100, 1000].filter((number) => number <= humans.length)
    const expected = milestones.map((number) => `${dayOf(number)}: ${number.toLocaleString('en')} visits by people`)
    assert.deepEqual(marks.slice(0, -1), expected)
    assert.match(marks.at(-1) ?? '', /^21 Nov 2026, 17:30: (Destination, Title|Title, Destination)$/)
    assert.equal(await page.locator('.plot .mark').count(), marks.length)
    await page.getByText(/Next milestone: 1,?0000? visits by people|Next milestone: 10,000/).waitFor()
    await page.goto(manage(own, 'view=detail&tz=UTC&days=365&device=mobile'))
    assert.equal(await page.locator('.plot .goal').count(), 0, 'of some visits, no milestone is known')
    const { share_url: address } = (await (
      await post(`${server.url}/api/manage/${own.token}/share`, { csv: true })
    ).json()) as { share_url: string }
    assert.doesNotMatch(await (await fetch(`${address}?view=detail`)).text(), /class="mark|Next milestone/)
  },
)

inBrowser('five questions of marketing are answered by fewer than three clicks each', async (page) => {
  const own = await create(server, {
    target: 'https://example.com/five',
    placements: [{ id: 'window', name: 'Shop window' }, { id: 'flyer' }],
  })
  const seeded = await seedScans(server, own, { now, days: 700, perDay: 3, random: randomFrom(9) })
  const humans = seeded.filter(({ bot }) => !bot)
  for (let at = 0; at < 3; at++)
    await visit(`${own.short_url}?qr=window`, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })
  await server.services.scans.fold()
  let clicks = 0
  const ask = async (...links: string[]) => {
    await page.goto(manage(own, 'tz=UTC'))
    clicks = links.length
    for (const name of links) await follow(page, page.getByRole('link', { name, exact: true }))
    assert.ok(clicks < 3)
  }
  const inYear = (year: string) => humans.filter(({ at }) => new Date(at).toISOString().startsWith(year))

  await ask('In detail', 'This year')
  const may = inYear('2026-05').length
  assert.deepEqual(
    (await tableOf(page)).find(([name]) => name === 'May 2026'),
    ['May 2026', may],
    'by month',
  )

  await ask()
  const lately = humans.filter(({ at }) => at >= Date.parse('2026-10-23'))
  const berlin = lately.filter(({ city }) => city === 'Berlin').length
  assert.match(
    await page.locator('#list-city tr', { hasText: 'Berlin' }).innerText(),
    new RegExp(`\\b${berlin}\\b`),
    'by city',
  )

  await ask()
  assert.match(
    await page.locator('#list-placement tr', { hasText: 'Shop window' }).innerText(),
    /\b3\b/,
    'by placement',
  )

  await ask('In detail')
  const noon = page.getByRole('table', { name: 'Hours of the week' }).locator('tbody tr').nth(12).getByRole('cell')
  const atNoon = lately.filter(({ at }) => new Date(at).getUTCHours() === 12)
  const fridays = atNoon.filter(({ at }) => new Date(at).getUTCDay() === 5).length
  assert.equal(Number(await noon.nth(4).textContent()), fridays, 'by hour')

  await ask('In detail', 'This year')
  const before = inYear('2025').filter(({ at }) => at < Date.parse('2025-11-21T17:30:00Z')).length
  const { value, all } = await figureOf(page, 'Visits by people')
  assert.equal(value, inYear('2026').length + 3)
  assert.ok(all.includes(`a year before: ${before.toLocaleString('en')} `), 'this year against last')
})

inBrowser(
  'with scripts, details come and go in place, and what is chosen stays when visits arrive and on the way back',
  async (page) => {
    const own = await create(server, { target: 'https://example.com/live' })
    await seedScans(server, own, { now, days: 30, perDay: 4, random: randomFrom(5) })
    await page.goto(manage(own, 'tz=UTC'))
    await page.getByText('live', { exact: true }).waitFor()
    await page.evaluate('window.isSame = true')
    await page.getByRole('link', { name: 'In detail' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Hours of the week' }).waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'In detail')
    await page.getByRole('link', { name: 'Weeks' }).click()
    await page.getByRole('slider', { name: 'Visits by week' }).waitFor()
    const total = Number(await page.locator('.stats-total b').textContent())
    await visit(own.short_url, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })
    await page.locator('.stats-total b', { hasText: String(total + 1) }).waitFor()
    await page.getByRole('slider', { name: 'Visits by week' }).waitFor()
    await page.goBack()
    await page.getByRole('slider', { name: 'Visits by day' }).waitFor()
    await page.goBack()
    await page.getByRole('table', { name: 'Hours of the week' }).waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('window.isSame'), true)
  },
  { scripts: true },
)

inBrowser(
  'in detail, the section has no faults that axe can find, in both languages and on the narrowest phones',
  async (page) => {
    for (const language of ['en', 'de']) {
      await page.setViewportSize({ width: 320, height: 740 })
      const filters = 'city=Berlin&country=DE&country=~'
      await page.goto(manage(link, `view=detail&tz=UTC&lang=${language}&list=referrer&search=e&${filters}`))
      await page.getByText('live', { exact: true }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [], language)
      await page.evaluate('for (const folded of document.querySelectorAll("#statistics details")) folded.open = true')
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= 320, `${language} is ${width} pixels wide`)
    }
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)
