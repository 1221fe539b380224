import type { Screen } from './screen.ts'

export const screens: Screen[] = [
  { name: 'docs', open: async (page, { url }) => void (await page.goto(`${url}/docs`)) },
]
