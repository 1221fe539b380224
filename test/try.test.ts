// The page on which an owner scans a code from the screen before it is printed: what it says of the code's size, how large the code is
// on the screen, and that it says when a scan has arrived.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sizeTexts, tryTexts } from '../src/texts/try.ts'
import { accessibilityFaults, follow, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import {
  create,
  post,
  put,
  skipUnlessOneNode,
  startServer,
  visit,
  type Created,
  type TestServer,
} from './support/server.ts'

const TARGET = 'https://example.com/menu'
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'
const PIXELS_PER_MM = 96 / 25.4
const { en } = tryTexts

const end = endOfFile()
let server: TestServer
let link: Created
const inBrowser = testsIn(sharedWindows(end, () => server.url))
const live = (name: string, run: (page: Page) => Promise<void>) => inBrowser(name, run, { scripts: true })
before(async () => {
  server = await startServer(end)
  link = await create(server, { target: TARGET, title: 'Menu' })
})

const tryOf = ({ token }: Created, query = '') => `${server.url}/m/${token}/try${query}`
const scan = ({ short_url: url }: Created, mark = '?qr=1', agent = PHONE) =>
  visit(`${url}${mark}`, { 'user-agent': agent })
const status = (page: Page) => page.locator('.try-arrived')
const widthOf = async (page: Page) => (await page.locator('.try-paper img').boundingBox())?.width ?? 0

function assertWidth(width: number, millimetres: number, factor: number): void {
  const expected = millimetres * PIXELS_PER_MM * factor
  assert.ok(Math.abs(width - expected) <= 0.5, `${width} pixels, not ${expected}`)
}

live(
  'the page says that a phone has read the code, with its device, and nothing of who has followed the link',
  async (page) => {
    await page.goto(`${server.url}/m/${link.token}`)
    await follow(page, page.getByRole('link', { name: en.link }))
    await status(page).filter({ hasText: en.waiting }).waitFor()
    // Before the visits: a page that is quick has asked once they are counted.
    const read = page.waitForResponse(/only=scans/)
    await scan(link, '')
    await scan(link, '?qr=1', 'curl/8.0')
    const counted = async () => {
      const details = await fetch(`${server.url}/api/manage/${link.token}`)
      return ((await details.json()) as { totals: { qr: number; link: number } }).totals
    }
    await poll(async () => (await counted()).qr === 1 && (await counted()).link === 1)
    await read
    assert.equal(await status(page).innerText(), en.waiting)
    await scan(link)
    await status(page).filter({ hasText: en.arrived }).waitFor()
    const told = await status(page).locator('li').allInnerTexts()
    assert.equal(told.length, 1)
    assert.match(told[0] ?? '', /^\d.* · Phone · iOS · Safari$/)
    assert.equal(await status(page).getAttribute('role'), 'status')
    assert.deepEqual(await accessibilityFaults(page), [])
  },
)

live('where nothing arrives, the page says after a while what to check', async (page) => {
  await page.clock.install()
  await page.goto(tryOf(link))
  await status(page).filter({ hasText: en.waiting }).waitFor()
  assert.equal(await page.getByText(en.check.tap).isVisible(), false)
  await page.clock.fastForward(60_000)
  await status(page).filter({ hasText: en.late }).waitFor()
  assert.equal(await page.getByText(en.check.tap).isVisible(), true)
})

live(
  'the code is as large as the comparison with a card says, also after a reload, and is not before',
  async (page) => {
    const texts = sizeTexts.en
    await page.goto(tryOf(link))
    assertWidth(await widthOf(page), 30, 1)
    await page.getByText(texts.asScreenSays).waitFor()
    await page.getByText(texts.compare, { exact: true }).click()
    await page.locator('#try-slider').fill('120')
    await page.getByText(texts.kept).waitFor()
    const card = await page.locator('.try-card').boundingBox()
    assertWidth(card?.width ?? 0, 85.6, 1.2)
    assertWidth(card?.height ?? 0, 53.98, 1.2)
    for (const width of [15, 20, 30, 50, 80]) {
      await page.getByRole('link', { name: `${width} mm`, exact: true }).click()
      assertWidth(await widthOf(page), width, 1.2)
    }
    await page.getByLabel(en.own).fill('47')
    assertWidth(await widthOf(page), 47, 1.2)
    await page.reload()
    await page.getByText(texts.compared).waitFor()
    assertWidth(await widthOf(page), 47, 1.2)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByText(texts.compare, { exact: true }).click()
    const upright = await page.locator('.try-card').boundingBox()
    assertWidth(upright?.height ?? 0, 85.6, 1.2)
    await page.getByLabel(en.own).fill('150')
    await page.getByText(texts.wide).waitFor()
    assertWidth(await widthOf(page), 150, 1.2)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: texts.forget }).click()
    assertWidth(await widthOf(page), 150, 1)
    await page.setViewportSize({ width: 1280, height: 720 })
    assert.equal(await page.evaluate('localStorage.length'), 0)
  },
)

live(
  'where a browser keeps nothing, the code is compared all the same, and the page says that it is forgotten',
  async (page) => {
    await page.goto(tryOf(link))
    await page.evaluate(`Storage.prototype.setItem = () => { throw new Error('made by the test') }`)
    await page.getByText(sizeTexts.en.compare, { exact: true }).click()
    await page.locator('#try-slider').fill('150')
    await page.getByText(sizeTexts.en.notKept).waitFor()
    assertWidth(await widthOf(page), 30, 1.5)
  },
)

inBrowser(
  'without scripts, the owner chooses width and place, and looks whether the scan has arrived',
  async (page) => {
    const placed = await create(server, { target: TARGET, placements: [{ id: 'shop', name: 'Shop window' }] })
    await page.goto(tryOf(placed))
    assert.ok(Math.abs((await widthOf(page)) - 30 * PIXELS_PER_MM) <= 0.5)
    await follow(page, page.getByRole('link', { name: '50 mm' }))
    assert.ok(Math.abs((await widthOf(page)) - 50 * PIXELS_PER_MM) <= 0.5)
    assert.equal(await page.getByText(sizeTexts.en.compare, { exact: true }).isVisible(), false)
    await page.getByLabel(en.place).selectOption('Shop window')
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: en.show }).last().click()])
    assert.match((await page.locator('.try-paper img').getAttribute('src')) ?? '', /placement=shop/)
    assert.ok(Math.abs((await widthOf(page)) - 50 * PIXELS_PER_MM) <= 0.5)
    // Of another code of the link.
    await scan(placed)
    await follow(page, page.getByRole('link', { name: en.look }))
    assert.match(await status(page).innerText(), /Nothing has arrived since/)
    await scan(placed, '?qr=shop')
    await follow(page, page.getByRole('link', { name: en.look }))
    assert.match(await status(page).innerText(), /Your phone has read it\.[^]* · Phone · iOS · Safari/)
    // Whoever opens the page later has not scanned.
    await page.goto(tryOf(placed, '?placement=shop'))
    assert.match(await status(page).innerText(), /Nothing has arrived since/)
  },
)

inBrowser('a link of a collection is tried there, too', async (page) => {
  const { token } = (await (await post(`${server.url}/api/collections`, {})).json()) as { token: string }
  const { code } = await create(server, { target: TARGET }, { 'quirl-collection': token })
  await page.goto(`${server.url}/c/${token}/${code}`)
  await follow(page, page.getByRole('link', { name: en.link }))
  await follow(page, page.getByRole('link', { name: '20 mm' }))
  await follow(page, page.getByRole('link', { name: `← ${en.back}` }))
  assert.equal(new URL(page.url()).pathname, `/c/${token}/${code}`)
})

inBrowser('a link that is paused or asks for a password says so; invalid choices get the usual ones', async (page) => {
  const paused = await create(server, { target: TARGET })
  await put(`${server.url}/api/manage/${paused.token}`, { active: false })
  await page.goto(tryOf(paused))
  await page.getByText(en.paused).waitFor()
  const locked = await create(server, { target: TARGET, password: 'correct horse battery' })
  await page.goto(tryOf(locked))
  await page.getByText(en.check.heading).click()
  await page.getByText(en.check.password).waitFor()
  const future = Date.now() + 1e6
  for (const wrong of ['?mm=4', '?mm=201', '?mm=x', '?mm=1&mm=2', '?placement=x', `?since=${future}`, '?since=1']) {
    await page.goto(tryOf(paused, wrong))
    assertWidth(await widthOf(page), 30, 1)
  }
  await page.goto(tryOf(paused, '?since=1'))
  const since = await page.locator('time').first().getAttribute('datetime')
  assert.ok(Date.parse(since ?? '') > Date.now() - 60_000, since ?? '')
})

/** What the page says of a code at a width. */
async function remarkAt(tried: Created, width: number): Promise<string> {
  const text = await (await fetch(tryOf(tried, `?mm=${width}`))).text()
  return /<p class="try-remark[^"]*">([^<]*)</.exec(text)?.[1] ?? ''
}

test('the page names the smallest width that the check names, and warns below it and below 0.4 mm of a module', async () => {
  const long = await create(server, { target: TARGET, alias: 'x'.repeat(60) })
  await put(`${server.url}/api/manage/${long.token}`, {
    design: { frame: { text: 'Scan me' }, shape: 'dots', ecl: 'H' },
  })
  for (const tried of [link, long]) {
    const data = `${tried.short_url}?qr=1`
    const design = tried === long ? { frame: { text: 'Scan me' }, shape: 'dots', ecl: 'H' } : {}
    const checked = await post(`${server.url}/api/qr?report=true`, { data, design, format: 'svg', size: 512 })
    const report = (await checked.json()) as { modules: number; print: { smallest_mm: number } }
    const columns = report.modules + 8 + (tried === long ? 2 : 0)
    const module = Math.floor(512 / columns) / 512
    const smallest = Math.max(report.print.smallest_mm, Math.ceil(0.4 / module))
    assert.equal(await remarkAt(tried, smallest), `Print this code at least ${smallest} mm wide.`)
    const below = await remarkAt(tried, smallest - 1)
    assert.ok(
      below.includes(`print it at least ${smallest} mm`) || below.includes(`Print it at least ${smallest} mm`),
      below,
    )
    const least = Math.ceil(0.4 / module)
    assert.match(await remarkAt(tried, least - 1), /^Too small to print: .* would be 0\.3\d? mm wide/)
  }
})

test(
  'a page without the check of its code says so, and costs one image of the quota',
  { skip: skipUnlessOneNode },
  async (t) => {
    const limited = await startServer(t, { LIMIT_QR: '1' })
    const { token } = await create(limited, { target: TARGET })
    const said = async () => (await fetch(`${limited.url}/m/${token}/try`)).text()
    assert.match(await said(), /Print this code at least \d+ mm wide/)
    assert.ok((await said()).includes(sizeTexts.en.unknown))
  },
)

test('where codes have no mark, any visit is shown, and the page says so', async (t) => {
  const unmarked = await startServer(t, { QR_MARKER: 'off' })
  const { token, short_url: url } = await create(unmarked, { target: TARGET })
  const address = `${unmarked.url}/m/${token}/try?since=${Date.now()}`
  await visit(url, { 'user-agent': PHONE })
  const text = await (await fetch(address)).text()
  assert.ok(text.includes(en.unmarked) && text.includes(en.arrived), text)
})

test('a link that was removed has no code to be tried', async () => {
  const removed = await create(server, { target: 'https://removed.example/' })
  await server.services.abuse.operations['block']?.({ subject: removed.code, reason: 'test' })
  const text = await (await fetch(tryOf(removed))).text()
  assert.ok(text.includes(en.suspended) && !text.includes('qr.svg'), text)
})
