import assert from 'node:assert/strict'
import { before } from 'node:test'
import { accessibilityFaults, distance, press, sharedWindows, testsIn, type, typed } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, startServer, type Created, type TestServer } from './support/server.ts'

const DESTINATION = 'https://example.com/where-it-led'

const end = endOfFile()
let server: TestServer
const openWindow = sharedWindows(end, () => server.url)
const inBrowser = testsIn(openWindow)
before(async () => {
  server = await startServer(end, { CONTACT: 'abuse@example.com', LIMIT_REPORTS: '0' })
})

const at = (path: string) => `${server.url}${path}`

async function removedLink(legal = false): Promise<Created> {
  const link = await create(server, { target: DESTINATION, title: 'My menu' })
  await server.services.abuse.operations['block']?.({ subject: link.code, reason: 'it phishes', legal })
  return link
}

async function reportsOf({ code }: Created): Promise<{ reasons: string; notes: string }[]> {
  const links = server.services.db.read.selectFrom('reports').innerJoin('links', 'links.id', 'reports.link_id')
  return links.select(['reasons', 'notes']).where('links.code', '=', code).execute()
}

inBrowser('a person without scripts reports a link from the page that shows its destination', async (page) => {
  const link = await create(server, { target: DESTINATION })
  await page.goto(`${link.short_url}+`)
  await page.getByRole('link', { name: 'Report this link' }).click()
  assert.equal(await page.getByLabel('Short link or code').inputValue(), link.code)
  await page.getByLabel('It asks for passwords or money under a false name').check()
  await type(page, { details: 'It looks like\nmy bank' })
  assert.equal(await press(page, 'Report'), 200)
  assert.match((await page.getByRole('status').textContent()) ?? '', new RegExp(`report of ${link.code} was received`))
  const [reported] = await reportsOf(link)
  assert.equal(reported?.reasons, '{"phishing":1}')
  assert.partialDeepStrictEqual(JSON.parse(reported?.notes ?? ''), [{ details: 'It looks like\nmy bank' }])
})

inBrowser(
  'the form accepts a pasted short URL; after a mistake it keeps all values and shows the error beside its field',
  async (page) => {
    const link = await create(server, { target: DESTINATION })
    await page.goto(at('/report'))
    await type(page, { code: 'https://elsewhere.example/x', details: 'I typed much' })
    await page.getByLabel('It spreads harmful software').check()
    const before = await typed(page)
    assert.equal(await press(page, 'Report'), 400)
    assert.deepEqual(await typed(page), before)
    assert.ok(await page.getByLabel('It spreads harmful software').isChecked())
    assert.ok((await distance(page, /not a code or a short link of this service/, 'code')) < 40)

    await type(page, { code: 'unknown-code' })
    assert.equal(await press(page, 'Report'), 404)
    assert.match((await page.getByRole('alert').textContent()) ?? '', /No link has the code unknown-code/)

    await type(page, { code: `${link.short_url}?qr=1` })
    assert.equal(await press(page, 'Report'), 200)
    assert.equal((await reportsOf(link)).length, 1)
  },
)

inBrowser('the browser requires a reason before it sends the form, and so does the service', async (page) => {
  await page.goto(at('/report'))
  await type(page, { code: 'x' })
  await page.getByRole('button', { name: 'Report' }).click()
  assert.equal(await page.locator('[name=reason]:invalid').count(), 6)
  const response = await fetch(at('/report'), { method: 'POST', body: new URLSearchParams({ code: 'x' }) })
  assert.equal(response.status, 400)
  assert.match(await response.text(), /Please choose the reason that fits best/)
})

for (const legal of [false, true]) {
  const cause = legal ? 'following a legal order' : 'for abuse'
  inBrowser(`the page of a code that was removed ${cause} says so, and does not reveal the target`, async (page) => {
    const link = await removedLink(legal)
    assert.equal((await page.goto(link.short_url))?.status(), legal ? 451 : 410)
    const heading = legal ? 'This code was blocked following a legal order' : 'This code was blocked'
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), heading)
    assert.doesNotMatch(await page.content(), /where-it-led|My menu|it phishes/)
    assert.equal(
      await page.getByRole('link', { name: /abuse@example/ }).getAttribute('href'),
      'mailto:abuse@example.com',
    )
  })
}

inBrowser(
  'the owner of a removed link sees the reason, and changes nothing but its shares and its key',
  async (page) => {
    const link = await removedLink()
    await page.goto(at(`/m/${link.token}`))
    assert.match(
      (await page.getByRole('alert').textContent()) ?? '',
      /The operator blocked this link on .* Reason: it phishes\./s,
    )
    assert.equal(await page.locator('.chip').first().textContent(), 'Blocked')
    assert.equal(await page.locator('#destination, #design').count(), 0)
    assert.deepEqual(await page.locator('#settings h3').allTextContents(), ['Shared views', 'A new private address'])
    assert.deepEqual(await page.getByRole('button').allTextContents(), ['Delete'])
    assert.equal(await page.getByRole('img').count(), 0)
    const stale = await fetch(at(`/m/${link.token}`), {
      method: 'POST',
      body: new URLSearchParams({ action: 'pause' }),
    })
    assert.equal(stale.status, 409)
    await page.getByLabel('Yes, delete this link').check()
    assert.equal(await press(page, 'Delete'), 410)
  },
)

inBrowser(
  'axe finds no fault on the pages of reports and removals, in light and dark, and they fit a phone',
  async (page) => {
    const removed = await removedLink()
    const pages = {
      '/report': 'report',
      [`/${removed.code}`]: 'removed',
      [`/${(await removedLink(true)).code}`]: 'legal',
      [`/m/${removed.token}`]: 'owner',
    }
    for (const [path, name] of Object.entries(pages)) {
      await page.setViewportSize({ width: 360, height: 740 })
      await page.goto(at(path))
      assert.deepEqual(await accessibilityFaults(page), [], path)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= 360, `${path} is ${width} pixels wide`)
      const folder = process.env['SCREENSHOTS']
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)

inBrowser(
  'axe finds no fault in a refused report, its thanks, and the pages for too many requests and a busy service',
  async (page, t) => {
    const limited = await startServer(t, { LIMIT_MISSES: '1' }, undefined, {
      work: { pages: { waiting: 0, concurrent: 0 } },
    })
    const link = await create(server, { target: DESTINATION })
    const requireSound = async (name: string) => {
      for (const [width, height] of [
        [1280, 800],
        [360, 740],
      ] as const) {
        await page.setViewportSize({ width, height })
        assert.deepEqual(await accessibilityFaults(page), [], `${name} at ${width}`)
        const needed = await page.evaluate<number>('document.documentElement.scrollWidth')
        assert.ok(needed <= width, `${name} needs ${needed} of ${width} pixels`)
      }
    }
    await page.goto(at('/report'))
    await page.getByLabel('It spreads harmful software').check()
    await type(page, { code: 'unknown-code', details: 'I typed much' })
    assert.equal(await press(page, 'Report'), 404)
    await requireSound('refused')
    await type(page, { code: link.code })
    assert.equal(await press(page, 'Report'), 200)
    await requireSound('thanks')

    // The page of the browser has one origin: the other service answers under it.
    const answer = (path: string, from: string) =>
      page.route(at(path), async (route) => route.fulfill({ response: await route.fetch({ url: from }) }))
    t.after(() => page.unrouteAll())
    await fetch(`${limited.url}/unknown-1`)
    await answer('/limited', `${limited.url}/unknown-2`)
    assert.equal((await page.goto(at('/limited')))?.status(), 429)
    await requireSound('429')
    await answer('/busy', `${limited.url}/`)
    assert.equal((await page.goto(at('/busy')))?.status(), 503)
    await requireSound('503')
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  { scripts: true },
)
