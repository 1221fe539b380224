import { create } from '../support/server.ts'
import type { Screen } from './screen.ts'

export const screens: Screen[] = [
  { name: 'privacy', open: async (page, { url }) => void (await page.goto(`${url}/privacy`)) },
  {
    name: 'report',
    async open(page, { url, server }) {
      const { code } = await create(server, { target: 'https://example.com/' })
      await page.goto(`${url}/report?code=${code}`)
    },
  },
]
