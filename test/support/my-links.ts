// “My links” on the start page, as a person uses it.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Created } from './server.ts'

export const entry = ({ token, code }: Created, title: string | null) => ({
  token,
  code,
  title,
  created_at: '2026-11-22T12:00:00.000Z',
})
export const exported = (links: unknown[], service: string) =>
  JSON.stringify({ format: 'quirl-links', version: 1, service, links })
export const rows = (page: Page) => page.locator('#my-links .kept-links li')
export const message = (page: Page) => page.locator('#my-links .kept-message')
export const button = (page: Page, name: string) => page.locator('#my-links').getByRole('button', { name, exact: true })
export const upload = (page: Page, text: string) =>
  page
    .locator('#my-links [type=file]')
    .setInputFiles({ name: 'links.json', mimeType: 'application/json', buffer: Buffer.from(text) })

/** Waits until an element has a text. */
export async function says(locator: ReturnType<Page['locator']>, text: string): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor()
}

/** Opens the start page with these links kept. */
export async function openWith(page: Page, url: string, links: unknown[]): Promise<void> {
  await page.goto(url)
  await page.evaluate(`localStorage.setItem('quirl.links', ${JSON.stringify(exported(links, url))})`)
  await page.goto(`${url}/?kind=url#my-links`)
  // The statistics are read once the section is in sight.
  await rows(page).first().waitFor()
  await page.evaluate("document.querySelector('#my-links').scrollIntoView()")
}

export async function saved(page: Page, name: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).press('Enter'),
  ])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}
