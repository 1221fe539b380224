import type { Page } from 'playwright-core'
import type { Screen, Site } from './screen.ts'

async function register(page: Page, { url }: Site, name: string): Promise<void> {
  await page.goto(`${url}/domains`)
  await page.locator('main [name=name]').fill(name)
  await page.locator('main form button').click()
}

export const screens: Screen[] = [
  { name: 'domains-empty', open: async (page, { url }) => void (await page.goto(`${url}/domains`)) },
  {
    name: 'domains-fault',
    async open(page, site) {
      await register(page, site, 'not a name')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'domains-registered',
    async open(page, site) {
      await register(page, site, `qr-${Date.now()}.example.com`)
      await page.locator('[data-domain]').waitFor()
    },
  },
]
