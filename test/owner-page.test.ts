import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, follow, press, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, put, startServer, visit, type Created, type TestServer, manage } from './support/server.ts'

const TARGET = 'https://example.com/menu'
const IPHONE = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148' }
const WINDOWS = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0' }

const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => void (server = await startServer(end)))

const pageOf = ({ token }: Created) => `${server.url}/m/${token}`
const leadsTo = async (link: Created, headers: Record<string, string> = WINDOWS) =>
  (await visit(link.short_url, headers)).headers.get('location')
const rulesOf = async (link: Created) =>
  ((await (await fetch(manage(server, link))).json()) as { rules: { off?: boolean; then: { target?: string } }[] })
    .rules
const targetsOf = async (link: Created) => (await rulesOf(link)).map(({ then }) => then.target)
const status = (page: Page) => page.locator('main [role=status]').filter({ visible: true }).allTextContents()
const to = (path: string) => ({ target: `https://example.com/${path}` })

inBrowser('the destination is edited in place, and a mistake is explained beside it', async (page) => {
  const link = await create(server, { target: TARGET, title: 'Menu' })
  await page.goto(pageOf(link))
  assert.equal(await page.locator('.owner-target').innerText(), TARGET)
  await page.getByText('Change', { exact: true }).click()
  await page.getByLabel('New destination').fill('http://localhost/')
  await follow(page, page.locator('#lead').getByRole('button', { name: 'Save' }))
  await page.getByRole('alert').waitFor()
  const field = page.getByLabel('New destination')
  assert.equal(await field.inputValue(), 'http://localhost/')
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  assert.match(
    await page.locator('#owner-address-fault').innerText(),
    /Only web addresses work here|public web address|not a complete web address/,
  )
  await field.fill('example.org/new')
  await page.locator('#lead').getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\?saved$/)
  assert.equal(await leadsTo(link), 'https://example.org/new')
})

inBrowser('a change that was overtaken is shown beside the other one, and saved by a second try', async (page) => {
  const link = await create(server, { target: TARGET })
  await page.goto(pageOf(link))
  await put(manage(server, link), { target: 'https://example.com/theirs' })
  const form = page.locator('#destination form').first()
  await form.locator('[name=target]').fill('https://example.com/mine')
  await follow(page, form.getByRole('button', { name: 'Save' }))
  await page.getByRole('alert').waitFor()
  const cells = await page.locator('.owner-conflict td').allInnerTexts()
  assert.deepEqual(cells, ['https://example.com/theirs', 'https://example.com/mine'])
  assert.equal(await leadsTo(link), 'https://example.com/theirs')
  await page.locator('#destination form').first().getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\?saved$/)
  assert.equal(await leadsTo(link), 'https://example.com/mine')
})

inBrowser(
  'a rule is made, works, is moved, switched off, edited, removed, and comes back through the history',
  async (page) => {
    const link = await create(server, { target: TARGET, rules: [{ when: {}, then: to('all') }] })
    await page.goto(pageOf(link))
    await page.getByRole('link', { name: 'Add a rule' }).click()
    const editor = page.locator('.rule-editor')
    await editor.locator('summary', { hasText: 'System' }).first().click()
    await editor.getByLabel('iOS (iPhone)').check()
    await editor.locator('[name=target]').fill('example.com/ios')
    assert.equal(await press(page, 'Save rule'), 200)
    assert.deepEqual(await status(page), ['The rules are saved and in effect.'])
    const sentences = () => page.locator('.rule-list li > p').allInnerTexts()
    assert.deepEqual(await sentences(), [
      'In every case, it leads to https://example.com/all',
      'On iPhones, it leads to https://example.com/ios',
    ])
    assert.equal(await leadsTo(link, IPHONE), 'https://example.com/all', 'the first rule that matches decides')
    await press(page, 'Move up, Rule 2')
    assert.equal(await leadsTo(link, IPHONE), 'https://example.com/ios')
    assert.equal(await leadsTo(link), 'https://example.com/all')
    await press(page, 'Switch off, Rule 1')
    assert.equal(await leadsTo(link, IPHONE), 'https://example.com/all')
    await press(page, 'Switch on, Rule 1')
    assert.equal(await leadsTo(link, IPHONE), 'https://example.com/ios')
    await follow(page, page.getByRole('link', { name: 'Edit, Rule 1' }))
    assert.ok(await editor.getByLabel('iOS (iPhone)').isChecked())
    await editor.getByLabel('Show that the offer has ended').check()
    await editor.getByLabel('Text that visitors read').fill('Sold out')
    await press(page, 'Save rule')
    assert.equal((await visit(link.short_url, IPHONE)).status, 410)
    await press(page, 'Remove, Rule 2')
    assert.deepEqual(await sentences(), ['On iPhones, it shows that the offer has ended: “Sold out”'])
    await page.getByText('2 older versions').click()
    await page.locator('#history button').last().click()
    await page.waitForURL(/\?reverted#history$/)
    assert.deepEqual(await targetsOf(link), ['https://example.com/all'])
  },
)

inBrowser('mistakes in a rule are explained at their fields, and nothing that was typed is lost', async (page) => {
  const link = await create(server, { target: TARGET })
  await page.goto(`${pageOf(link)}?rule=new`)
  const editor = page.locator('.rule-editor')
  for (const name of ['Country', 'Day and time', 'Limit and percentage'])
    await editor.locator('summary', { hasText: name }).first().click()
  await editor.locator('[name=country]').fill('Germany, Atlantis')
  await editor.locator('[name=hours]').fill('9-17, soon')
  await editor.locator('[name=percent]').fill('half')
  assert.equal(await press(page, 'Save rule'), 400)
  assert.deepEqual(
    await Promise.all((await editor.locator('[aria-invalid]').all()).map((field) => field.getAttribute('name'))),
    ['country', 'hours', 'percent', 'target'],
  )
  await editor.locator('[name=country]').fill('Germany, at')
  await editor.locator('[name=hours]').fill('9-17')
  await editor.locator('[name=percent]').fill('150')
  await editor.locator('[name=target]').fill('https://example.com/lunch')
  assert.equal(await press(page, 'Save rule'), 400)
  assert.match(await editor.locator('#rule-percent-fault').innerText(), /1 to 99/)
  await editor.locator('[name=percent]').fill('50')
  await editor.locator('[name=timezone]').fill('Europe/Berlin')
  assert.equal(await press(page, 'Save rule'), 200)
  assert.deepEqual(await rulesOf(link), [
    {
      when: { country: ['DE', 'AT'], hours: ['09:00-17:00'], timezone: 'Europe/Berlin', percent: 50 },
      then: to('lunch'),
    },
  ])
})

inBrowser('a rule that is saved as it was shown stays the same rule', async (page) => {
  const clockChange = {
    from: '2027-10-31T02:30:00.5+01:00',
    until: '2027-10-31T02:45+01:00',
    weekdays: ['mon'],
    timezone: 'Europe/Berlin',
  }
  const rules = [{ when: clockChange, then: { ended: 'Back soon.\nThank you!' } }]
  const link = await create(server, { target: TARGET, rules })
  await page.goto(`${pageOf(link)}?rule=1`)
  assert.equal(await press(page, 'Save rule'), 200)
  assert.deepEqual(await rulesOf(link), rules)
  await page.goto(`${pageOf(link)}?rule=1`)
  await page.locator('.rule-editor [name=until]').fill('2027-10-31T02:50')
  assert.equal(await press(page, 'Save rule'), 200)
  const until = '2027-10-31T02:50+01:00'
  assert.deepEqual(await rulesOf(link), [{ ...rules[0], when: { ...clockChange, until } }])
})

test('a version that changed the webhook alone says that it changed a setting', async () => {
  const link = await create(server, { target: TARGET })
  const webhook = { url: 'https://example.com/hook', events: ['link.removed'] }
  assert.equal((await put(manage(server, link), { webhook })).status, 200)
  const html = await (await fetch(pageOf(link), { headers: { accept: 'text/html' } })).text()
  assert.match(html, /A setting whose earlier values are not kept, such as the webhook/)
})

test('a form of rules that is sent twice or late changes nothing silently', async () => {
  const link = await create(server, { target: TARGET, rules: [{ when: {}, then: to('a') }] })
  const send = (form: Record<string, string>) =>
    fetch(pageOf(link), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  const rule = { action: 'rule', revision: '1', answer: 'target', target: 'https://example.com/b' }
  assert.equal((await send(rule)).status, 303)
  assert.equal((await send(rule)).status, 303)
  assert.deepEqual(await targetsOf(link), ['https://example.com/a', 'https://example.com/b'])
  const late = await send({ action: 'rule-remove', revision: '1', rule: '0' })
  assert.equal(late.status, 412)
  assert.match(await late.text(), /changed elsewhere/)
  for (const number of ['7', '-1', 'x', '']) {
    assert.equal((await send({ action: 'rule-remove', revision: '2', rule: number })).status, 400, number)
  }
  const back = { action: 'revert', revision: '2', to: '1' }
  assert.equal((await send(back)).status, 303)
  assert.equal((await send(back)).status, 303)
  assert.equal((await send({ ...back, to: '99' })).status, 404)
  assert.deepEqual(await targetsOf(link), ['https://example.com/a'])
  const history = (await (await fetch(`${manage(server, link)}/history`)).json()) as { revisions: unknown[] }
  assert.equal(history.revisions.length, 3)
})

inBrowser(
  'with scripts, all of it by keyboard: the sentence follows the form, and the navigation the section',
  async (page) => {
    const link = await create(server, { target: TARGET })
    await page.goto(`${pageOf(link)}?rule=new#rule-editor`)
    const editor = page.locator('.rule-editor')
    await editor.locator('summary').first().focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    assert.match(await editor.locator('output').innerText(), /^On \w.*, it leads to …$/)
    await editor.locator('[name=answer]').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Closed')
    assert.match(await editor.locator('output').innerText(), /^On \w.*, it shows that the offer has ended: “Closed”$/)
    await Promise.all([page.waitForURL(/\?ruled#rules$/), page.keyboard.press('Enter')])
    await page.locator('#destination').scrollIntoViewIfNeeded()
    await page.locator('.owner-nav [aria-current]', { hasText: 'Destination' }).waitFor()
  },
  { scripts: true },
)

inBrowser(
  'with scripts, the buttons of a page are moved, removed and added',
  async (page) => {
    const links = ['a', 'b', 'c'].map((label) => ({ label, url: `https://example.com/${label}` }))
    const link = await create(server, { kind: 'page', headline: 'Menu', links })
    await page.goto(pageOf(link))
    const rows = page.locator('#destination .link-row')
    assert.equal(await rows.count(), 3)
    await rows.nth(2).locator('.link-up').click()
    await rows.nth(0).locator('.link-remove').click()
    await page.locator('#destination .link-add').click()
    await rows.nth(2).locator('[name=link_label]').fill('d')
    await rows.nth(2).locator('[name=link_url]').fill('https://example.com/d')
    await page.locator('#destination form').first().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const { payload } = (await (await fetch(manage(server, link))).json()) as {
      payload: { links: { label: string }[] }
    }
    assert.deepEqual(
      payload.links.map(({ label }) => label),
      ['c', 'b', 'd'],
    )
    assert.deepEqual(await accessibilityFaults(page), [])
  },
  { scripts: true },
)

inBrowser(
  'axe finds no fault in German and English, at both sizes, and nothing overflows',
  async (page) => {
    const rules = [
      { when: { os: ['iOS'], until: '2026-12-31T18:00:00+01:00' }, then: to('ios') },
      { when: { after_visitors: 1000, after_scans: 9000 }, then: { ended: 'All gone' }, off: true },
    ]
    const link = await create(server, { target: `${TARGET}/${'x'.repeat(300)}`, rules })
    await put(manage(server, link), { title: 'Menu', utm: { utm_source: 'flyer' } })
    for (const language of ['de', 'en']) {
      await page.setExtraHTTPHeaders({ 'accept-language': language })
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 740 })
        await page.goto(`${pageOf(link)}?rule=1`)
        await page.evaluate('for (const folded of document.querySelectorAll("details")) folded.open = true')
        assert.equal(await page.locator('html').getAttribute('lang'), language)
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, `${width}`)
        if (language === 'de' || width === 320) assert.deepEqual(await accessibilityFaults(page), [])
      }
    }
    await page.setExtraHTTPHeaders({})
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)

inBrowser('without scripts the times of the page are in UTC, and say so', async (page) => {
  const link = await create(server, { target: TARGET })
  await page.goto(pageOf(link))
  for (const text of await page.locator('time').allTextContents()) assert.match(text, / UTC$/)
})

inBrowser(
  'the times of the page are in the time zone of the browser, as in the statistics',
  async (page) => {
    const link = await create(server, { target: TARGET })
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
    await page.goto(pageOf(link))
    const created = page.locator('.owner-top time').first()
    const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' })
    const expected = format.format(new Date((await created.getAttribute('datetime')) ?? ''))
    await page.locator('.owner-top time', { hasText: expected }).first().waitFor()
    const others = await page.locator('time').allTextContents()
    assert.ok(others.length >= 2 && others.every((text) => !text.includes('UTC')), others.join())
    await session.send('Emulation.setTimezoneOverride', { timezoneId: '' })
    await session.detach()
  },
  { scripts: true },
)

inBrowser('a destination that is the name of a file gets a remark, without scripts once it is saved', async (page) => {
  await page.goto(server.url)
  await page.locator('[name=target]').fill('meine-speisekarte.pdf')
  assert.equal(await press(page, 'Create'), 200)
  await page.getByText('“meine-speisekarte.pdf” looks like the name of a file.').waitFor()
  await page.goto(pageOf(await create(server, { target: 'https://example.com/menu.pdf' })))
  assert.equal(await page.getByText('looks like the name of a file').count(), 0)
})

inBrowser(
  'the remark about the name of a file stands below the field while it is typed, and goes with it',
  async (page) => {
    await page.setViewportSize({ width: 320, height: 740 })
    await page.goto(server.url)
    const field = page.locator('[name=target]')
    await field.fill('meine-speisekarte.pdf')
    await page.getByRole('status').filter({ hasText: 'looks like the name of a file' }).waitFor()
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320)
    assert.deepEqual(await accessibilityFaults(page), [])
    await field.fill('example.com/meine-speisekarte.pdf')
    await page.locator('.home-file:empty').waitFor({ state: 'attached' })
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)
