import { create, visit } from '../support/server.ts'
import type { Screen, Site } from './screen.ts'

async function keepLinks({ url, server }: Site): Promise<string> {
  const titles = ['Menu of the week', 'Poster at the station', null, 'A long title that says so much that it wraps']
  const links = await Promise.all(
    titles.map(async (title, at) => {
      const link = await create(server, { target: 'https://example.com/' })
      for (let scan = 0; scan < at * 3; scan += 1) await visit(link.short_url, { 'user-agent': 'Firefox' })
      return { token: link.token, code: link.code, title, created_at: `2026-11-0${at + 1}T12:00:00.000Z` }
    }),
  )
  const gone = { token: 'x'.repeat(43), code: 'gone', title: 'Gone', created_at: '2026-10-01T12:00:00.000Z' }
  return JSON.stringify({ format: 'quirl-links', version: 1, service: url, links: [...links, gone] })
}

export const screens: Screen[] = [
  {
    name: 'created',
    async open(page, { url, server }) {
      const { token } = await create(server, { target: 'https://example.com/menu', title: 'Menu of the week' })
      await page.goto(`${url}/m/${token}?created`)
    },
  },
  {
    name: 'my-links',
    async open(page, site) {
      await page.goto(site.url)
      await page.evaluate(`localStorage.setItem('quirl.links', ${JSON.stringify(await keepLinks(site))})`)
      await page.goto(`${site.url}/?kind=url#my-links`)
      await page.locator('#my-links svg').first().waitFor()
      await page.evaluate('localStorage.clear()')
    },
  },
  {
    name: 'my-links-refused-file',
    async open(page, { url }) {
      await page.goto(url)
      const file = { name: 'links.json', mimeType: 'application/json', buffer: Buffer.from('{}') }
      await page.locator('#my-links [type=file]').setInputFiles(file)
      await page.locator('#my-links .note.alarm').waitFor()
    },
  },
]
