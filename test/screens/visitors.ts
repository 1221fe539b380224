import { create, put } from '../support/server.ts'
import type { Screen, Site } from './screen.ts'

const TARGET = 'https://www.example.com/menu?table=7'
const links = ['Our menu', 'Book a table', 'How to find us, by bus, by tram, and on foot from the station'].map(
  (label, at) => ({ label, url: `https://example.com/${at}` }),
)
const leaflet = { kind: 'page', headline: 'Müller’s Bakery', description: 'Open daily.\nFrom 7 to 18.', links }
const card = {
  kind: 'vcard',
  firstName: 'Zoë',
  lastName: 'O’Neill',
  org: 'Müller & Söhne',
  jobTitle: 'Baker',
  phone: '+49 30 1234',
  email: 'zoe@example.com',
  website: 'https://example.com/zoe',
}
const fair = {
  kind: 'event',
  summary: 'Summer fair',
  start: '2027-06-12T14:00+02:00',
  end: '2027-06-12T18:00+02:00',
  timezone: 'Europe/Berlin',
  location: 'Market square',
  description: 'Music and cake.\nBring your friends.',
  url: TARGET,
}
const full = {
  ...leaflet,
  headline: 'A heading that someone wrote who did not think of small telephones at all, or of patience',
  description: 'A long text. '.repeat(80),
  accent: '#b4232a',
  links: Array.from({ length: 40 }, (_, at) => ({ label: `Button number ${at}`, url: TARGET })),
}
const rulesTo = (then: object) => [{ when: {}, then }]

/** The page of a new link. @param path what follows its address */
function ofLink(name: string, body: object, path = ''): Screen {
  return {
    name: `visitor-${name}`,
    async open(page, { server }) {
      const { short_url: url } = await create(server, body)
      await page.goto(url + path)
    },
  }
}

function atPath(name: string, path: string): Screen {
  return { name: `visitor-${name}`, open: async (page, { url }) => void (await page.goto(url + path)) }
}

async function paused({ server }: Site): Promise<string> {
  const { short_url: url, token } = await create(server, { target: TARGET })
  await put(`${server.url}/api/manage/${token}`, { active: false })
  return url
}

async function removed({ server }: Site, legal: boolean): Promise<string> {
  const { short_url: url, code } = await create(server, { target: TARGET })
  await server.services.abuse.operations['block']?.({ subject: code, reason: 'it phishes', legal })
  return url
}

/** The page of a new link of which the operator warns. */
function warned(name: string, body: object, more: { path?: string; isOpen?: boolean; language?: string } = {}): Screen {
  return {
    name: `visitor-warned${name}`,
    async open(page, { server }) {
      const { short_url: url, code } = await create(server, body)
      await server.services.abuse.operations['warn']?.({ subject: code, reason: 'it looks like a bank' })
      if (more.language !== undefined) await page.setExtraHTTPHeaders({ 'accept-language': more.language })
      await page.goto(url + (more.path ?? ''))
      if (more.isOpen === true) await page.locator('summary').click()
    },
  }
}

export const screens: Screen[] = [
  warned('', { target: `https://login.bank.example.com/account/verify?session=${'0123456789'.repeat(12)}` }),
  warned('-german', { target: TARGET }, { language: 'de' }),
  warned('-page', leaflet),
  warned('-page-open', leaflet, { isOpen: true }),
  warned('-contact-open', card, { isOpen: true }),
  warned('-preview', { target: TARGET }, { path: '+' }),
  ofLink('page', leaflet),
  ofLink('page-bare', { kind: 'page', headline: 'Soon' }),
  ofLink('page-yellow', { ...leaflet, avatar: '☕', accent: '#ffd600' }),
  ofLink('page-white', { ...leaflet, accent: '#ffffff' }),
  ofLink('page-arabic', { ...leaflet, headline: 'مقهى النيل', description: 'قهوة وكعك', accent: '#0b1d51' }),
  ofLink('page-full', full),
  ofLink('contact', card),
  ofLink('event', fair),
  ofLink('event-days', { kind: 'event', summary: 'Trade fair', start: '2027-09-06', end: '2027-09-09' }),
  ofLink('contact-bare', { kind: 'vcard', org: 'ACME' }),
  ofLink('preview', { target: TARGET }, '+'),
  ofLink('preview-page', leaflet, '+'),
  ofLink('preview-rules', { target: TARGET, rules: rulesTo({ target: 'https://example.org/' }) }, '+'),
  ofLink('preview-password', { target: TARGET, password: 'correct horse' }, '+'),
  ofLink('password', { target: TARGET, password: 'correct horse' }),
  ofLink('ended', { target: TARGET, rules: rulesTo({ ended: 'Sold out.\nCome back in spring!' }) }),
  { name: 'visitor-paused', open: async (page, site) => void (await page.goto(await paused(site))) },
  { name: 'visitor-removed', open: async (page, site) => void (await page.goto(await removed(site, false))) },
  { name: 'visitor-removed-by-law', open: async (page, site) => void (await page.goto(await removed(site, true))) },
  atPath('nothing', '/no/such/page'),
  atPath('report', '/report'),
  {
    name: 'visitor-report-fault',
    async open(page, { url }) {
      await page.goto(`${url}/report?code=https://elsewhere.example/x`)
      await page.getByLabel('It spreads harmful software').check()
      await page.getByRole('button', { name: 'Report' }).click()
    },
  },
  {
    name: 'visitor-report-thanks',
    async open(page, { url, server }) {
      const { code } = await create(server, { target: TARGET })
      await page.goto(`${url}/report?code=${code}`)
      await page.getByLabel('It spreads harmful software').check()
      await page.getByRole('button', { name: 'Report' }).click()
    },
  },
]
