import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { follow, accessibilityFaults, focusOn, press, sharedWindows, testsIn, type, typed } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { readWithZxing } from './support/decoders.ts'
import { create, startServer, type TestServer } from './support/server.ts'

const EXAMPLE = 'https://example.com/menu'
const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end)
})

const at = (path: string) => `${server.url}${path}`
const available = async (code: string, on = server) => {
  const response = await fetch(`${on.url}/api/links/${code}/available`)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('whether a code is free', () => {
  test('is told in any case of its letters, also for deleted links, reserved words and what is no code', async () => {
    const kept = await create(server, { target: EXAMPLE, alias: 'Summer' })
    const gone = await create(server, { target: EXAMPLE, alias: 'Winter' })
    await fetch(at(`/api/manage/${gone.token}`), { method: 'DELETE' })
    const bodies = await Promise.all(
      ['sUMMER', 'winter', 'api', 'a%20b', 'x'.repeat(65), 'autumn'].map(async (code) => (await available(code)).body),
    )
    const no = (reason: string) => ({ available: false, reason })
    assert.deepEqual(bodies, [
      no('taken'),
      no('taken'),
      no('reserved'),
      no('invalid'),
      no('invalid'),
      { available: true },
    ])
    assert.equal(kept.code, 'Summer')
  })

  test('counts as an unknown code whatever the answer is, so that nobody can find out codes by it', async (t) => {
    const limited = await startServer(t, { LIMIT_MISSES: '3' })
    await create(limited, { target: EXAMPLE, alias: 'one' })
    for (const code of ['one', 'two', 'api']) assert.equal((await available(code, limited)).status, 200)
    const { status, body } = await available('one', limited)
    assert.deepEqual([status, body['code']], [429, 'rate_limited'])
    assert.equal((await fetch(`${limited.url}/nothing`)).status, 429, 'it is the same quota')
  })

  test('is read from the store: a code that was looked up and then created is visited at once', async () => {
    assert.deepEqual((await available('fresh')).body, { available: true })
    await create(server, { target: EXAMPLE, alias: 'fresh' })
    assert.equal((await fetch(at('/fresh'), { redirect: 'manual' })).status, 302)
    assert.deepEqual((await available('fresh')).body, { available: false, reason: 'taken' })
  })
})

describe('the start page', () => {
  test('is at most 30 KB as sent, with its style and its scripts', async () => {
    const page = await (await fetch(at('/'))).text()
    const paths = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js))"/g)].map(([, path = '']) => path)
    assert.equal(paths.length, 4)
    const files = await Promise.all(paths.map(async (path) => (await fetch(at(path))).bytes()))
    const size = [Buffer.from(page), ...files].reduce((sum, file) => sum + gzipSync(file).length, 0)
    assert.ok(size <= 30_000, `${size} bytes`)
  })

  test('speaks the language of the browser, also when it refuses', async () => {
    const headers = { 'accept-language': 'de', 'content-type': 'application/x-www-form-urlencoded' }
    const shown = await fetch(at('/'), { headers })
    assert.match(shown.headers.get('vary') ?? '', /accept-language/)
    assert.match(await shown.text(), /<html lang="de">.*nur auf diesem Rechner.*Wohin soll er führen\?/s)
    const refused = await fetch(at('/?create'), { method: 'POST', headers, body: 'kind=url&target=x&alias=a+b' })
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /Ein Code hat 1 bis 64 Zeichen/)
  })

  inBrowser(
    'without scripts has the focus in the address, and after a fault in the first invalid field',
    async (page) => {
      await page.goto(at('/'))
      await focusOn(page, 'target')
      await type(page, { target: EXAMPLE, title: 'x'.repeat(201), utm_source: 'y'.repeat(201) })
      assert.equal(await press(page, 'Create'), 400)
      await focusOn(page, 'title')
      assert.ok(await page.locator('#field-title').isVisible())
      const described = await page.locator('#field-title').getAttribute('aria-describedby')
      assert.equal(described, 'field-title-hint field-title-fault')
    },
  )

  inBrowser(
    'shows the poster as it is printed: all of a long title, in the middle of the page',
    async (page) => {
      await page.goto(at('/'))
      for (const title of [
        'Menu',
        'Opening hours & breakfast – from 8 o’clock on each day of the week, also on Sundays',
      ]) {
        await type(page, { title })
        await page.locator('.home-poster-title', { hasText: title }).waitFor()
        const parts = ['.home-poster', '.home-poster-title', '.home-poster-link'].map((each) => page.locator(each))
        const [sheet, head, foot] = await Promise.all(parts.map((each) => each.boundingBox()))
        assert.ok(sheet && head && foot)
        const [above, below] = [head.y - sheet.y, sheet.y + sheet.height - foot.y - foot.height]
        assert.ok(Math.abs(above - below) < 2, `${above} pixels above, ${below} below`)
        assert.ok(above > (sheet.width / 210) * 20, `${above} pixels above what can be printed`)
      }
      // A browser restores what was typed when the next test opens the page again.
      await type(page, { title: '' })
    },
    { scripts: true },
  )

  inBrowser(
    'draws the code while one types: a scan of the poster reads the address that the link will have',
    async (page) => {
      await page.goto(at('/'))
      assert.match(await read(page), /\/sitemap\?qr=1$/)
      assert.match((await page.locator('.home-caption').textContent()) ?? '', /chosen when you press Create/)
      await type(page, { target: 'www.example.com/menu', alias: 'Poster-1', utm_source: 'flyer' })
      await page.getByText('“Poster-1” is free.').waitFor()
      await page.locator('.home-poster-title', { hasText: 'example.com' }).waitFor()
      assert.equal(await read(page), `${server.url}/Poster-1?qr=1`)
      assert.equal(
        await page.locator('.home-final strong').textContent(),
        'https://www.example.com/menu?utm_source=flyer',
      )
      await type(page, { alias: 'fresh' })
      await page.getByText('“fresh” is already taken.').waitFor()
      await type(page, { alias: 'a b' })
      await page.getByText('Only letters from a to z').waitFor()
      assert.match(await read(page), /\/sitemap\?qr=1$/, 'no code is drawn that cannot be')
      assert.deepEqual(await accessibilityFaults(page), [])
    },
    { scripts: true },
  )

  inBrowser(
    'keeps what was typed when another kind is chosen, and sends the fields of the chosen kind only',
    async (page) => {
      await page.goto(at('/'))
      const tab = (name: string) => page.getByRole('link', { name, exact: true }).press('Enter')
      await type(page, { target: EXAMPLE, alias: 'kinds', utm_source: 'flyer' })
      await tab('Contact')
      await type(page, { firstName: 'Zoë', org: 'Müller & Söhne' })
      await page.locator('.home-phone', { hasText: 'Müller & Söhne' }).waitFor()
      assert.equal(await page.locator('[name=utm_source]').isVisible(), false)
      assert.deepEqual(await accessibilityFaults(page), [])
      await tab('Web address')
      assert.equal(await page.locator('[name=target]').inputValue(), EXAMPLE)
      assert.equal(await page.locator('[name=utm_source]').inputValue(), 'flyer')
      await tab('Contact')
      await page.waitForURL('**/?kind=vcard')
      assert.equal(await press(page, 'Create'), 200)
      const token = new URL(page.url()).pathname.slice('/m/'.length)
      const link = (await (await fetch(at(`/api/manage/${token}`))).json()) as Record<string, unknown>
      const payload = { firstName: 'Zoë', org: 'Müller & Söhne' }
      assert.partialDeepStrictEqual(link, { code: 'kinds', kind: 'vcard', target: null, payload })
      assert.deepEqual(link['utm'], {})
    },
    { scripts: true },
  )

  inBrowser(
    'adds, moves and removes the buttons of a page by keyboard and by dragging, and shows the page',
    async (page) => {
      await page.goto(at('/?kind=page'))
      await type(page, { headline: 'Müller', link_label: ['A'], link_url: ['https://example.com/a'] })
      for (const name of ['B', 'C']) {
        await page.getByRole('button', { name: 'Add a button' }).press('Enter')
        await page.keyboard.type(name)
        await page.keyboard.press('Tab')
        await page.keyboard.type(`https://example.com/${name.toLowerCase()}`)
      }
      await page.getByRole('button', { name: 'Move button 3 up' }).press('Enter')
      assert.deepEqual(await labels(page), ['A', 'C', 'B'])
      await page.getByText('Moved to place 2 of 3.').waitFor({ state: 'attached' })
      await page.keyboard.press('Enter')
      assert.deepEqual(await labels(page), ['C', 'A', 'B'])
      assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Move button 1 down')
      await drag(page, 0, 2)
      assert.deepEqual(await labels(page), ['A', 'B', 'C'])
      await page.getByRole('button', { name: 'Remove button 2' }).press('Enter')
      assert.deepEqual(await labels(page), ['A', 'C'])
      await page.locator('.home-phone .press').nth(2).waitFor({ state: 'detached' })
      assert.deepEqual(await page.locator('.home-phone .press').allInnerTexts(), ['A', 'C'])
      assert.deepEqual(await accessibilityFaults(page), [])
      assert.equal(await press(page, 'Create'), 200)
      await follow(page, page.getByRole('link', { name: 'Change, design and follow this link' }))
      assert.deepEqual((await typed(page))['link_url'], ['https://example.com/a', 'https://example.com/c'])
    },
    { scripts: true },
  )
})

/** The text of the code on the poster. */
async function read(page: Page): Promise<string> {
  // A frame later, what was typed is drawn.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  const [code] = await readWithZxing(await page.locator('.home-poster').screenshot())
  return code?.text ?? ''
}

function labels(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('[name=link_label]')].map((field) => field.value)`)
}

/** Drags a row below another one by its grip. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const grip = await page.locator('.link-grip').nth(from).boundingBox()
  const place = await page.locator('.link-row').nth(to).boundingBox()
  assert.ok(grip && place)
  await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2)
  await page.mouse.down()
  await page.mouse.move(grip.x, place.y + place.height + 5, { steps: 3 })
  await page.mouse.up()
}
