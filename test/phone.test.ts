// The pages of an owner on a phone of 360 by 740 pixels.
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, press, sharedWindows, testsIn, type } from './support/browser.ts'
import { endOfFile, undoLater } from './support/cleanup.ts'
import { create, put, startServer, type TestServer } from './support/server.ts'

const PHONE = { width: 360, height: 740 }
const TARGET = 'https://cafe-luna.example.com/menu'
const languages = ['de', 'en'] as const
const createButton = { de: 'Erstellen', en: 'Create' }

const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end, { BASE_URL: 'https://qr.luna.example' })
})

/** Does something in each language on the phone. */
async function onPhone(page: Page, run: (language: (typeof languages)[number]) => Promise<void>): Promise<void> {
  await page.setViewportSize(PHONE)
  try {
    for (const language of languages) {
      await page.setExtraHTTPHeaders({ 'accept-language': language })
      await run(language)
    }
  } finally {
    await page.setExtraHTTPHeaders({})
    await page.setViewportSize({ width: 1280, height: 720 })
  }
}

async function bottomOf(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).first().boundingBox()
  assert.ok(box, `${selector} is shown`)
  return box.y + box.height
}

/** Fails if the page, with everything unfolded, is wider than the narrowest phones. */
async function assertNarrow(page: Page): Promise<void> {
  await page.evaluate('for (const folded of document.querySelectorAll("details")) folded.open = true')
  await page.setViewportSize({ width: 320, height: 740 })
  assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320, page.url())
  await page.setViewportSize(PHONE)
}

for (const scripts of [true, false]) {
  inBrowser(
    `a new link is on one screen ${scripts ? 'with' : 'without'} scripts: the link, its code, three files, and how to keep it`,
    async (page) => {
      await onPhone(page, async (language) => {
        await page.goto(server.url)
        assert.ok((await bottomOf(page, '.masthead')) <= 60, `the header is one line in ${language}`)
        await type(page, { target: TARGET, title: 'Speisekarte' })
        assert.equal(await press(page, createButton[language]), 200)
        if (scripts) await page.locator('.keep-here').waitFor()
        const parts = ['.result', '.created-code img', '.main-downloads li:last-child', '.keep-address', '#created']
        for (const part of parts) assert.ok((await bottomOf(page, part)) <= PHONE.height, `${part} in ${language}`)
        assert.equal(await page.locator('main > section, main > div').count(), 1, 'nothing else is there')
        const print = (await page.locator('.main-downloads a').first().getAttribute('href')) ?? ''
        assert.match(print, /\/print\.pdf\?paper=a4&title=Speisekarte$/)
        const { headers } = await fetch(new URL(print, server.url))
        assert.equal(headers.get('content-type'), 'application/pdf')
        if (!scripts) return
        assert.deepEqual(await accessibilityFaults(page), [])
        await assertNarrow(page)
      })
      await page.evaluate('localStorage.clear()')
    },
    { scripts },
  )
}

inBrowser(
  'the header is one line, and the start page has its input and its button above the fold',
  async (page) => {
    await onPhone(page, async (language) => {
      await page.goto(server.url)
      assert.ok((await bottomOf(page, '.masthead')) <= 60, language)
      assert.ok((await bottomOf(page, '[name=target]')) <= PHONE.height, language)
      assert.ok((await bottomOf(page, '.home-create')) <= PHONE.height, language)
      assert.deepEqual(await accessibilityFaults(page), [])
      await assertNarrow(page)
    })
  },
  { scripts: true },
)

inBrowser(
  'the page of a link is at most four screens long, and what is folded unfolds without scripts',
  async (page) => {
    const { token } = await create(server, { target: TARGET, title: 'Speisekarte' })
    await onPhone(page, async (language) => {
      await page.goto(`${server.url}/m/${token}`)
      const height = await page.evaluate<number>('document.documentElement.scrollHeight')
      assert.ok(height <= 4 * PHONE.height, `${height} in ${language}`)
      for (const section of ['destination', 'design', 'delete']) {
        const content = page.locator(`#${section} .card`).first()
        assert.equal(await content.isVisible(), false)
        await page.locator(`#${section} summary`).first().click()
        assert.equal(await content.isVisible(), true)
      }
      await assertNarrow(page)
    })
  },
)

inBrowser('a section is unfolded where a form of it, a rule or a link within the page leads', async (page) => {
  const rules = [{ when: { os: ['iOS'] }, then: { target: 'https://example.com/ios' } }]
  const { token } = await create(server, { target: TARGET, rules })
  await onPhone(page, async () => {
    await page.goto(`${server.url}/m/${token}`)
    assert.equal(await page.locator('#rules').isVisible(), false)
    await page.locator('.owner-top a[href="#rules"]').click()
    assert.equal(await page.locator('#rules').isVisible(), true)
    await page.goto(`${server.url}/m/${token}?rule=1#rule-editor`)
    assert.equal(await page.locator('.rule-editor').isVisible(), true)
    await page.goto(`${server.url}/m/${token}?designed#design`)
    assert.equal(await page.locator('form.design').isVisible(), true)
  })
})

inBrowser(
  'the preview is a bar of at most a quarter of the screen, and its button saves the design, poor ones after a question',
  async (page, t) => {
    await onPhone(page, async (language) => {
      const link = await create(server, { target: TARGET })
      await put(`${server.url}/api/manage/${link.token}`, { design: { shape: 'dots' } })
      await page.goto(`${server.url}/m/${link.token}`)
      await page.locator('#design summary').first().click()
      await page.locator('form.design').scrollIntoViewIfNeeded()
      const bar = page.locator('.preview')
      await bar.locator('img').waitFor()
      await page.locator('[name=fg]').fill('#ffe27a')
      await bar.locator('.verdict', { hasText: /^(?:Poor|Schlecht)/ }).waitFor()
      await page.locator('[name=ecl]').evaluate((field: { scrollIntoView: () => void }) => field.scrollIntoView())
      const box = await bar.boundingBox()
      assert.ok(box && box.y >= 0 && box.y + box.height <= PHONE.height / 4, `${box?.y} ${box?.height} in ${language}`)
      // Where it covers nothing, which axe could not look behind.
      await page.evaluate('scrollTo(0, 0)')
      assert.deepEqual(await accessibilityFaults(page), [])
      const submit = async (name: string) => {
        await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).first().click()])
      }
      await Promise.all([page.waitForEvent('load'), bar.getByRole('button').click()])
      await submit({ de: 'Trotzdem speichern', en: 'Save all the same' }[language])
      const saved = (await (await fetch(`${server.url}/api/manage/${link.token}`)).json()) as { design: unknown }
      assert.deepEqual(saved.design, { shape: 'dots', fg: '#ffe27a' })
      assert.equal(await page.locator('.chip.warning').isVisible(), true)
    })
    undoLater(t, () => page.goto('about:blank').then(() => undefined))
  },
  { scripts: true },
)
