import type { Page } from 'playwright-core'
import { create, put, visit, type Created } from '../support/server.ts'
import type { Screen, Site } from './screen.ts'

const TARGET = 'https://example.com/menu'

const rules = [
  { when: { os: ['iOS', 'iPadOS'], until: '2026-12-31T18:00:00+01:00' }, then: { target: 'https://example.com/ios' } },
  {
    when: {
      country: ['DE', 'AT'],
      weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'],
      hours: ['09:00-17:00'],
      timezone: 'Europe/Berlin',
    },
    then: { target: 'https://example.com/office-hours' },
  },
  { when: { percent: 50 }, then: { target: 'https://example.com/b' }, off: true },
  { when: { after_visitors: 1000 }, then: { ended: 'All vouchers are taken. Thank you!' } },
]

const manage = (site: Site, { token }: Created) => `${site.url}/api/manage/${token}`

async function open(page: Page, site: Site, { token }: Created, rest = ''): Promise<void> {
  await page.goto(`${site.url}/m/${token}${rest}`)
}

async function fullLink(site: Site): Promise<Created> {
  const link = await create(site, { target: TARGET, title: 'Menu of the summer', utm: { utm_source: 'flyer' } })
  await put(manage(site, link), { target: 'https://example.com/summer', rules })
  await put(manage(site, link), { title: 'Menu of the terrace' })
  return link
}

/** A link that people have reported, and of which the operator warns. */
async function warnedLink(site: Site): Promise<Created> {
  const link = await create(site, { target: TARGET })
  const { db, abuse } = site.server.services
  const reported = { reported_at: Date.now(), reported_networks: 5, reported_reason: 'phishing' }
  await db.write.updateTable('links').set(reported).where('code_key', '=', link.code.toLowerCase()).execute()
  await abuse.operations['warn']?.({ subject: link.code, reason: 'it looks like a bank' })
  return link
}

export const screens: Screen[] = [
  { name: 'owner-warned', open: async (page, site) => open(page, site, await warnedLink(site)) },
  { name: 'owner-warned-german', open: async (page, site) => open(page, site, await warnedLink(site), '?lang=de') },
  { name: 'owner-empty', open: async (page, site) => open(page, site, await create(site, { target: TARGET })) },
  { name: 'owner-full', open: async (page, site) => open(page, site, await fullLink(site)) },
  { name: 'owner-rule', open: async (page, site) => open(page, site, await fullLink(site), '?rule=2') },
  {
    name: 'owner-page',
    async open(page, site) {
      const links = [{ label: 'Menu', url: TARGET }]
      const link = await create(site, { kind: 'page', headline: 'Müller’s Bakery', links })
      await put(manage(site, link), { active: false })
      await open(page, site, link)
    },
  },
  {
    name: 'owner-fault',
    async open(page, site) {
      await open(page, site, await create(site, { target: TARGET }))
      await page.locator('#lead > summary').click()
      await page.locator('#owner-address').fill('http://printer.local/')
      await Promise.all([page.waitForEvent('load'), page.locator('#lead button').click()])
    },
  },
  {
    name: 'owner-print',
    open: async (page, site) =>
      open(page, site, await fullLink(site), '/print?paper=tent-a4&style=loud&text=Mon+to+Fri'),
  },
  {
    name: 'owner-print-german-fault',
    open: async (page, site) =>
      open(page, site, await fullLink(site), `/print?paper=sticker-50&title=${'W'.repeat(190)}&lang=de`),
  },
  {
    name: 'owner-try',
    async open(page, site) {
      const design = { shape: 'rounded', frame: { text: 'Scan me' } }
      const link = await create(site, {
        target: TARGET,
        title: 'Menu of the summer',
        design,
        placements: [{ id: 'shop' }],
      })
      await open(page, site, link, '/try?mm=15')
      await page.locator('#try-compare > summary').click()
      await visit(`${link.short_url}?qr=1`, {
        'user-agent': 'Mozilla/5.0 (Android 15; Mobile; rv:131.0) Firefox/131.0',
      })
      await page.locator('.try-arrived[data-has]').waitFor()
    },
  },
  {
    name: 'owner-conflict',
    async open(page, site) {
      const link = await create(site, { target: TARGET })
      await open(page, site, link)
      await put(manage(site, link), { target: 'https://example.com/theirs' })
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
      await page.locator('#destination [name=target]').first().fill('https://example.com/mine')
      await Promise.all([page.waitForEvent('load'), page.locator('#destination form button').first().click()])
    },
  },
]
