import type { Page } from 'playwright-core'
import { randomFrom } from '../support/random.ts'
import { seedScans } from '../support/seeded-scans.ts'
import { create, post, type Created } from '../support/server.ts'
import type { Screen, Site } from './screen.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

/** A link with scans of some days until the last hour. */
async function createScanned({ server }: Site, days: number, perDay: number, ago = HOUR): Promise<Created> {
  const link = await create(server, { target: 'https://example.com/menu', title: 'Lunch menu' })
  await seedScans(server, link, { now: Date.now() - ago, days, perDay, random: randomFrom(days) })
  return link
}

async function openOwned(page: Page, { url }: Site, { token }: Created, query = ''): Promise<void> {
  await page.goto(`${url}/m/${token}${query}#statistics`)
  await page.locator('.stats-total .chip').waitFor()
}

export const screens: Screen[] = [
  {
    name: 'statistics-month',
    open: async (page, site) => openOwned(page, site, await createScanned(site, 60, 120), '?tz=Europe/Berlin'),
  },
  {
    name: 'statistics-today',
    open: async (page, site) =>
      openOwned(page, site, await createScanned(site, 2, 200), '?days=1&audience=all&tz=Europe/Berlin'),
  },
  {
    name: 'statistics-year-table',
    async open(page, site) {
      await openOwned(page, site, await createScanned(site, 365, 20), '?days=365&tz=Europe/Berlin')
      await page.locator('.stats-table summary').click()
    },
  },
  {
    name: 'statistics-value',
    async open(page, site) {
      await openOwned(page, site, await createScanned(site, 90, 120), '?days=90&tz=Europe/Berlin')
      await page.locator('.plot').focus()
      await page.keyboard.press('PageDown')
    },
  },
  {
    name: 'statistics-detail',
    open: async (page, site) =>
      openOwned(
        page,
        site,
        await createScanned(site, 365, 20),
        '?view=detail&days=365&interval=month&tz=Europe/Berlin',
      ),
  },
  {
    name: 'statistics-filtered',
    open: async (page, site) =>
      openOwned(page, site, await createScanned(site, 90, 60), '?view=detail&days=90&country=DE&device=mobile&tz=UTC'),
  },
  {
    name: 'statistics-empty',
    open: async (page, site) =>
      openOwned(page, site, await create(site.server, { target: 'https://example.com/', title: 'New poster' })),
  },
  {
    name: 'statistics-nothing-lately',
    open: async (page, site) => openOwned(page, site, await createScanned(site, 3, 20, 60 * DAY)),
  },
  {
    name: 'share',
    async open(page, site) {
      const link = await createScanned(site, 60, 40)
      const body = { csv: true, destination: true }
      const share = await post(`${site.url}/api/manage/${link.token}/share`, body)
      await page.goto(((await share.json()) as { share_url: string }).share_url)
      await page.getByText('days in Europe/Berlin').waitFor()
    },
  },
]
