// Makes the pictures of the README from the running program: `npm run docs:pictures`.
import { mkdirSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import { chromiumArguments } from '../test/support/browser.ts'
import type { Ending } from '../test/support/cleanup.ts'
import { randomFrom } from '../test/support/random.ts'
import { seedScans } from '../test/support/seeded-scans.ts'
import { create, startServer, type TestServer } from '../test/support/server.ts'

const folder = new URL('pictures/', import.meta.url)

const pictures: Record<
  string,
  { width: number; height: number; open: (page: Page, server: TestServer) => Promise<void> }
> = {
  create: {
    width: 1200,
    height: 720,
    async open(page, { url }) {
      await page.goto(url)
      await page.locator('[name=target]').fill('bakery.example/menu')
    },
  },
  statistics: {
    width: 1200,
    height: 720,
    async open(page, server) {
      const link = await create(server, {
        target: 'https://bakery.example/menu',
        title: 'Menu of the terrace',
        alias: 'menu',
      })
      await seedScans(server, link, { now: Date.now() - 3_600_000, days: 60, perDay: 120, random: randomFrom(7) })
      await page.goto(`${server.url}/m/${link.token}?tz=Europe/Berlin#statistics`)
      await page.locator('.stats-total .chip').waitFor()
      await page.evaluate('document.querySelector("#statistics").scrollIntoView()')
    },
  },
  page: {
    width: 400,
    height: 720,
    async open(page, server) {
      const links = ['Our menu', 'Book a table', 'How to find us'].map((label) => ({
        label,
        url: 'https://bakery.example/',
      }))
      const body = {
        kind: 'page',
        headline: 'Müller’s Bakery',
        description: 'Open daily from 7 to 18.',
        avatar: '🥐',
        links,
      }
      const { code } = await create(server, body)
      await page.goto(`${server.url}/${code}`)
    },
  },
}

const works: (() => Promise<void> | void)[] = []
const end: Ending = { after: (work) => void works.push(work) }
try {
  await draw()
} finally {
  for (const work of works.toReversed()) await work()
}

async function draw(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const server = await startServer(end, { BASE_URL: 'https://qr.bakery.shop' })
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: chromiumArguments })
  end.after(() => browser.close())
  for (const [name, { width, height, open }] of Object.entries(pictures)) {
    const page = await browser.newPage({ viewport: { width, height }, locale: 'en-GB', timezoneId: 'Europe/Berlin' })
    await open(page, server)
    await page.screenshot({ path: new URL(`${name}.png`, folder).pathname, animations: 'disabled' })
    await page.close()
  }
}
