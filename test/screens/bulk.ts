import type { Page } from 'playwright-core'
import type { Screen, Site } from './screen.ts'

const rows = Array.from({ length: 8 }, (_, at) => `Tisch ${at + 1};https://example.com/karte?tisch=${at + 1};`)
const list = ['Titel;Ziel;Kürzel', ...rows].join('\n')
const faulty = ['Titel;Ziel;Kürzel', 'Eins;;', 'Zwei;https://example.com/;a b', ...rows].join('\n')

async function read(page: Page, { url }: Site, text: string): Promise<void> {
  await page.goto(`${url}/bulk`)
  await page.evaluate('sessionStorage.clear()')
  await page.reload()
  await page.locator('textarea').fill(text)
  await page.locator('.bulk-actions button').first().click()
  await page.locator('.bulk-grid').waitFor()
}

const click = (page: Page, name: RegExp) => page.getByRole('button', { name }).first().click()

async function create(page: Page, site: Site): Promise<void> {
  await read(page, site, list)
  await click(page, /^(?:Check the rows|Zeilen prüfen)/)
  await click(page, /^(?:Create 8 links|8 Links erstellen)/)
  await page.locator('#bulk-done').waitFor()
}

export const screens: Screen[] = [
  { name: 'bulk-empty', open: async (page, { url }) => void (await page.goto(`${url}/bulk`)) },
  { name: 'bulk-grid', open: (page, site) => read(page, site, list) },
  {
    name: 'bulk-faults',
    async open(page, site) {
      await read(page, site, faulty)
      await click(page, /^(?:Check the rows|Zeilen prüfen)/)
      await page.locator('.bulk-grid .fault').first().waitFor()
    },
  },
  { name: 'bulk-created', open: create },
  {
    name: 'bulk-sheet',
    async open(page, site) {
      await create(page, site)
      await click(page, /^(?:Sheet|Bogen)/)
      await page.locator('.bulk-sheet img').last().waitFor()
    },
  },
]
