import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { accessibilityFaults, follow, press, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { randomFrom } from './support/random.ts'
import { seedScans } from './support/seeded-scans.ts'
import { create, startServer, visit, type Created, type TestServer } from './support/server.ts'
import type { Scan } from '../src/scans/scan.ts'

const DAY = 86_400_000
/** In Berlin, the next day has begun. */
const clock = { now: Date.UTC(2026, 10, 21, 23, 30) }
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'

const end = endOfFile()
const inBrowser = testsIn(sharedWindows(end, () => server.url))
let server: TestServer
let link: Created
let scans: Scan[]
before(async () => {
  server = await startServer(end, {}, () => clock.now, { slots: { streams: 4 } })
  link = await create(server, { target: 'https://example.com/menu', title: 'Menu' })
  scans = await seedScans(server, link, { now: clock.now, days: 60, perDay: 12, random: randomFrom(1) })
})

const manage = ({ token }: Created) => `${server.url}/m/${token}`
const isHuman = ({ bot }: Scan) => !bot
/** The local date of a scan, by the runtime's formatter. */
const dateIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' })
  return ({ at }: Pick<Scan, 'at'>) => format.format(at)
}

/** The scans by day, as the table of the chart has them, in ISO dates. */
async function tableOf(page: Page): Promise<Record<string, number>> {
  const cells = await page.locator('.stats-table tbody').locator('th, td').allTextContents()
  const days = Array.from({ length: cells.length / 3 }, (_, row) => cells.slice(row * 3, row * 3 + 2))
  return Object.fromEntries(
    days.map(([day, count]) => [new Date(`${day} UTC`).toISOString().slice(0, 10), Number(count)]),
  )
}

/** The same, counted scan by scan. */
function countedByDay(days: number, timeZone: string, counted: Scan[]): Record<string, number> {
  const dateOf = dateIn(timeZone)
  const byDate = Map.groupBy(counted, dateOf)
  const today = Date.parse(dateOf({ at: clock.now }))
  const dates = Array.from({ length: days }, (_, at) =>
    new Date(today - (days - 1 - at) * DAY).toISOString().slice(0, 10),
  )
  return Object.fromEntries(dates.map((date) => [date, byDate.get(date)?.length ?? 0]))
}

const figureOf = (page: Page, name: string) =>
  page.locator('.stats-figures > div', { hasText: name }).locator('b').textContent()

inBrowser(
  'without scripts, a person reads 30 days, and chooses window, visitors and time zone by links',
  async (page) => {
    await page.goto(manage(link))
    const people = scans.filter(isHuman)
    const inUtc = countedByDay(30, 'UTC', people)
    assert.deepEqual(await tableOf(page), inUtc)
    const sum = Object.values(inUtc).reduce((total, count) => total + count, 0)
    assert.equal(await figureOf(page, 'Visits by people'), String(sum))
    const bots = Object.values(countedByDay(30, 'UTC', scans)).reduce((total, count) => total + count, 0) - sum
    assert.equal(await figureOf(page, 'Bots'), String(bots))
    assert.match(await page.locator('.stats-figures').innerText(), /\+\d+%/)

    await follow(page, page.getByRole('link', { name: '7 days' }))
    await follow(page, page.getByRole('link', { name: 'With bots' }))
    await page.getByText('Time zone: UTC').click()
    await page.locator('[name=tz]').selectOption('Europe/Berlin')
    assert.equal(await press(page, 'Change'), 200)
    assert.equal(new URL(page.url()).search, '?days=7&audience=all&tz=Europe%2FBerlin')
    assert.deepEqual(await tableOf(page), countedByDay(7, 'Europe/Berlin', scans))

    const german = await fetch(`${manage(link)}?days=1&tz=UTC`, { headers: { 'accept-language': 'de' } })
    const text = await german.text()
    for (const part of ['Besuche nach Stunden', '>00 Uhr<', 'Österreich', '21. Nov. 2026 · Stunden in UTC'])
      assert.ok(text.includes(part), part)
    for (const wrong of ['days=0', 'days=366', 'days=x', 'tz=Nowhere', 'audience=dogs', 'days=7&days=8', 'tz='])
      assert.equal((await fetch(`${manage(link)}?${wrong}`)).status, 200, wrong)
  },
)

inBrowser(
  "a person's own time zone is shown, the counter and the chart follow new scans, and values are read by keyboard",
  async (page) => {
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    await page.goto(manage(link))
    await page.getByText(`days in ${zone}`).waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    const before = await tableOf(page)
    const total = Number((await page.locator('.stats-total b').textContent())?.replaceAll(',', ''))
    assert.equal(total, scans.length)
    await visit(link.short_url, { 'user-agent': PHONE })
    await poll(async () => (await page.locator('.stats-total b').textContent()) === String(total + 1))
    const today = dateIn(zone)({ at: clock.now })
    await poll(async () => (await tableOf(page))[today] === (before[today] ?? 0) + 1)

    await page.getByRole('link', { name: '7 days' }).click()
    await page.waitForURL(/days=7&audience=human/)
    assert.equal(Object.keys(await tableOf(page)).length, 7)
    assert.equal(await page.evaluate('document.activeElement.textContent'), '7 days')
    await page.goBack()
    await poll(async () => Object.keys(await tableOf(page)).length === 30)

    const chart = page.getByRole('slider', { name: 'Visits by day' })
    await chart.focus()
    await page.keyboard.press('ArrowLeft')
    const [day, count] = Object.entries(await tableOf(page)).at(-2) ?? []
    const read = (await chart.getAttribute('aria-valuetext')) ?? ''
    assert.equal(new Date(`${read.slice(0, read.lastIndexOf(': Visits'))} UTC`).toISOString().slice(0, 10), day)
    assert.match(read, new RegExp(`: Visits ${count}, `))
    assert.equal((await page.locator('.stats-readout').innerText()).replace(/\s+/g, ' '), read.replace(':', ''))
  },
  { scripts: true },
)

inBrowser(
  'full, of a day, of a year and empty, the section has no faults that axe can find, and fits a phone',
  async (page) => {
    const fresh = await create(server, { target: 'https://example.com/' })
    await page.setViewportSize({ width: 360, height: 740 })
    for (const address of [`${manage(link)}?days=1&tz=UTC`, `${manage(link)}?days=365&tz=UTC`, manage(fresh)]) {
      await page.goto(address)
      await page.getByText('live', { exact: true }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [], address)
      // Everything unfolded, on the narrowest phones: the names of time zones are long.
      await page.setViewportSize({ width: 320, height: 740 })
      await page.evaluate('for (const folded of document.querySelectorAll("#statistics details")) folded.open = true')
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= 320, `${address} is ${width} pixels wide`)
      await page.setViewportSize({ width: 360, height: 740 })
    }
    await page.getByRole('heading', { name: 'Print it, then scan it' }).waitFor()
    await visit(fresh.short_url, { 'user-agent': PHONE })
    await page.getByRole('slider', { name: 'Visits by day' }).waitFor()
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)

inBrowser('a print has the QR code and the figures', async (page, t) => {
  if (!requireProgram(t, 'pdftoppm', 'poppler-utils') || !requireProgram(t, 'zbarimg', 'zbar-tools')) return
  await page.goto(manage(link))
  const folder = temporaryFolder(t)
  await writeFile(join(folder, 'print.pdf'), await page.pdf({ format: 'A4' }))
  const run = promisify(execFile)
  await run('pdftoppm', ['-r', '150', '-gray', '-singlefile', 'print.pdf', 'print'], { cwd: folder })
  const { stdout: text } = await run('pdftotext', ['-layout', 'print.pdf', '-'], { cwd: folder })
  const reading = ['--quiet', '--raw', '-Sdisable', '-Sqrcode.enable', 'print.pgm']
  const { stdout: decoded } = await run('zbarimg', reading, { cwd: folder })
  assert.equal(decoded.trim(), `${link.short_url}?qr=1`)
  for (const part of [
    'Menu',
    'Bots',
    'Visits by day',
    (await figureOf(page, 'Visits by people')) ?? '',
    link.short_url,
  ])
    assert.ok(text.includes(part), part)
  assert.doesNotMatch(text, /Delete|Download|Time zone:/)
})

test('while the statistics cannot be read, the page says so and the rest works', async (t) => {
  const busy = await startServer(t, {}, () => clock.now, { slots: { stats: 0 } })
  const { manage_url: address } = await create(busy, { target: 'https://example.com/' })
  const response = await fetch(address)
  const page = await response.text()
  assert.equal(response.status, 200)
  assert.match(page, /The statistics cannot be shown at the moment/)
  assert.match(page, /name="action"/)
  assert.deepEqual(
    busy.logged,
    [],
    'a refused slot is no line of the log: under overload there would be one for each page',
  )
})

inBrowser(
  'a page whose stream is refused, as all are taken, reads the number at intervals and says nothing of it',
  async (page) => {
    const own = await create(server, { target: 'https://example.com/menu' })
    await page.goto('about:blank')
    const others = new AbortController()
    const open = () => fetch(`${server.url}/api/manage/${own.token}/stream`, { signal: others.signal })
    // Other pages of this file may hold one. A stream whose response nobody holds is closed when memory is collected.
    const held = [await open()]
    while (held.length < 5 && held.at(-1)?.status === 200) held.push(await open())
    assert.equal(held.at(-1)?.status, 503)
    const refused = page.waitForResponse((response) => response.url().endsWith('/stream'))
    await page.goto(manage(own))
    assert.equal((await refused).status(), 503)
    await visit(own.short_url, { 'user-agent': PHONE })
    await page.locator('.stats-total', { hasText: /^\s*1\s/ }).waitFor()
    assert.equal(await page.getByRole('alert').filter({ visible: true }).count(), 0)
    assert.ok(held.slice(0, -1).every(({ bodyUsed }) => !bodyUsed))
    others.abort()
    await page.goto('about:blank')
  },
  { scripts: true },
)
