import type { Page } from 'playwright-core'
import { press, type } from '../support/browser.ts'
import type { Screen, Site } from './screen.ts'

const TYPED = { target: 'www.example.com/menu', alias: 'summer-menu', title: 'Menu', utm_source: 'flyer' }

const leaflet = async (page: Page, { url }: Site) => {
  await page.goto(`${url}/?kind=page`)
  await type(page, { headline: 'Müller’s Bakery', description: 'Open daily.\nFrom 7 to 18.' })
  await type(page, { link_label: ['Menu'], link_url: ['https://example.com/menu'] })
}

/** The start page: empty, filled, of each kind, and refused. */
export const screens: Screen[] = [
  {
    name: 'home',
    open: async (page, { url }) => void (await page.goto(url)),
  },
  {
    name: 'home-full',
    async open(page, { url }) {
      await page.goto(url)
      await type(page, TYPED)
      await page.locator('.home-state.free').waitFor()
    },
  },
  {
    name: 'home-app',
    open: async (page, { url }) => void (await page.goto(`${url}/?kind=appstore`)),
  },
  {
    name: 'home-contact',
    async open(page, { url }) {
      await page.goto(`${url}/?kind=vcard`)
      await type(page, { firstName: 'Zoë', lastName: 'O’Neill', org: 'Müller & Söhne', phone: '+49 30 1234' })
    },
  },
  { name: 'home-page', open: leaflet },
  {
    name: 'home-event',
    async open(page, { url }) {
      await page.goto(`${url}/?kind=event`)
      await type(page, {
        summary: 'Summer fair',
        location: 'Market square',
        start_date: '2027-06-12',
        start_time: '14:00',
      })
    },
  },
  {
    name: 'home-event-fault',
    async open(page, { url }) {
      await page.goto(`${url}/?kind=event`)
      await type(page, { summary: 'Summer fair', start_date: '2027-06-12', end_date: '2027-06-11' })
      await press(page, 'Create')
    },
  },
  {
    name: 'home-failure',
    async open(page, { url }) {
      await page.route(/\/assets\/home-/, (route) => route.abort())
      await page.goto(url)
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'home-fault',
    async open(page, site) {
      await leaflet(page, site)
      await type(page, { link_url: ['http://printer.local/'], alias: 'a b' })
      await press(page, 'Create')
    },
  },
]
