import type { Page } from 'playwright-core'
import { create, post, put, type Created } from '../support/server.ts'
import type { Screen, Site } from './screen.ts'

const TARGET = 'https://example.com/menu'

async function open(page: Page, { url }: Site, link: Created, cards: string[]): Promise<void> {
  await page.goto(`${url}/m/${link.token}`)
  for (const card of cards) await page.locator(`#settings-${card} > summary`).click()
}

async function press(page: Page, button: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: button, exact: true }).click()])
}

async function fullLink(site: Site): Promise<Created> {
  const webhook = { url: 'https://example.com/hook', events: ['link.changed', 'scans.milestone'] }
  const names = { title: 'Menu of the summer', campaign: 'summer' }
  const link = await create(site, { target: TARGET, ...names, password: 'correct horse', webhook })
  const path = `${site.url}/api/manage/${link.token}`
  await post(`${path}/share`, { name: 'Agency', csv: true })
  await post(`${path}/share`, { destination: true })
  await put(path, { active: false })
  return link
}

const all = ['names', 'placements', 'pause', 'password', 'shares', 'webhook', 'key']

export const screens: Screen[] = [
  {
    name: 'settings-folded',
    open: async (page, site) => open(page, site, await create(site, { target: TARGET }), []),
  },
  {
    name: 'settings-empty',
    open: async (page, site) => open(page, site, await create(site, { target: TARGET }), all),
  },
  { name: 'settings-full', open: async (page, site) => open(page, site, await fullLink(site), all) },
  {
    name: 'settings-faults',
    async open(page, site) {
      await open(page, site, await create(site, { target: TARGET }), ['webhook'])
      await page.getByLabel('Address of the program').fill('http://printer.local/')
      await press(page, 'Set webhook')
    },
  },
  {
    name: 'settings-new-key',
    async open(page, site) {
      await open(page, site, await create(site, { target: TARGET }), ['key'])
      await page.getByLabel('I will save the new address').check()
      await press(page, 'Get a new private address')
    },
  },
  {
    name: 'settings-new-share',
    async open(page, site) {
      await open(page, site, await create(site, { target: TARGET }), ['shares'])
      await press(page, 'Create shared view')
    },
  },
  {
    name: 'settings-deleted',
    async open(page, site) {
      await open(page, site, await create(site, { target: TARGET }), [])
      await page.getByLabel('Yes, delete this link').check()
      await press(page, 'Delete')
    },
  },
]
