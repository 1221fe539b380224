import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findKind, kinds } from '../src/links/kinds/index.ts'
import type { FormField } from '../src/links/kinds/kind.ts'
import {
  accessibilityFaults,
  distance,
  follow,
  force,
  press,
  sharedWindows,
  testsIn,
  type,
  typed,
  type Typing,
} from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { readWithZxing } from './support/decoders.ts'
import { inputsOf } from './support/kinds.ts'
import { create, put, startServer, visit, type Created, type TestServer, details } from './support/server.ts'

const EXAMPLE = 'https://example.com/menu'

const end = endOfFile()
let server: TestServer
const openWindow = sharedWindows(end, () => server.url)
const inBrowser = testsIn(openWindow)
before(async () => {
  server = await startServer(end, { LIMIT_LINKS: '0', LIMIT_QR: '0', LIMIT_FAILURES: '0', LIMIT_MISSES: '0' })
})

const at = (path: string) => `${server.url}${path}`
const ownersPage = (link: Created) => at(`/m/${link.token}`)

/** Goes on from what follows a creation to the page of the link. */
const toOwnersPage = (page: Page) =>
  follow(page, page.getByRole('link', { name: 'Change, design and follow this link' }))

/** The token of a link that was just created and whose owner's page is open. */
function tokenOf(page: Page): string {
  const [, token = ''] = /\/m\/([\w-]{43})(?:\?created)?$/.exec(page.url()) ?? []
  assert.notEqual(token, '', `${page.url()} is the page of a link that was just created`)
  return token
}

async function countLinks(): Promise<number> {
  return (await server.services.db.read.selectFrom('links').select('id').execute()).length
}

/** What a person types for a link of each kind. */
const samples: { kind: string; tab: string; typing: Typing; stored: object }[] = [
  {
    kind: 'url',
    tab: 'Web address',
    typing: { target: `${EXAMPLE}?table=4#today`, alias: 'Summer-menu', title: 'Menu', utm_source: 'flyer' },
    stored: { target: `${EXAMPLE}?table=4#today`, code: 'Summer-menu', title: 'Menu', utm: { utm_source: 'flyer' } },
  },
  {
    kind: 'appstore',
    tab: 'App',
    typing: { ios: 'https://apps.apple.com/app/id1', android: 'https://play.google.com/1', fallback: EXAMPLE },
    stored: {
      payload: { ios: 'https://apps.apple.com/app/id1', android: 'https://play.google.com/1', fallback: EXAMPLE },
    },
  },
  {
    kind: 'vcard',
    tab: 'Contact',
    typing: {
      firstName: 'Zoë',
      lastName: 'O’Neill',
      org: 'Müller & Söhne',
      jobTitle: 'Baker',
      phone: '+49 30 1234',
      email: 'zoe@example.com',
      website: EXAMPLE,
      campaign: 'cards',
    },
    stored: {
      campaign: 'cards',
      payload: {
        firstName: 'Zoë',
        lastName: 'O’Neill',
        org: 'Müller & Söhne',
        jobTitle: 'Baker',
        phone: '+49 30 1234',
        email: 'zoe@example.com',
        website: EXAMPLE,
      },
    },
  },
  {
    kind: 'page',
    tab: 'Page of links',
    typing: {
      headline: 'Müller’s Bakery',
      description: 'Open daily.\nFrom 7 to 18.',
      link_label: ['Menu', 'Book a table'],
      link_url: [EXAMPLE, 'https://example.org/book'],
    },
    stored: {
      payload: {
        headline: 'Müller’s Bakery',
        description: 'Open daily.\nFrom 7 to 18.',
        links: [
          { label: 'Menu', url: EXAMPLE },
          { label: 'Book a table', url: 'https://example.org/book' },
        ],
      },
    },
  },
  {
    kind: 'event',
    tab: 'Event',
    typing: {
      summary: 'Sommerfest',
      start_date: '2027-06-12',
      start_time: '14:00',
      end_date: '2027-06-12',
      end_time: '18:00',
      timezone: 'Europe/Berlin',
      location: 'Market square',
      description: 'Music.\nCake.',
      url: EXAMPLE,
    },
    stored: {
      payload: {
        summary: 'Sommerfest',
        start: '2027-06-12T14:00+02:00',
        end: '2027-06-12T18:00+02:00',
        timezone: 'Europe/Berlin',
        location: 'Market square',
        description: 'Music.\nCake.',
        url: EXAMPLE,
      },
    },
  },
]

/** The body that creates the same link through the API. */
function sampleOf(name: string): object {
  const sample = samples.find(({ kind }) => kind === name)
  return { kind: name, ...sample?.stored }
}

describe('a person without scripts creates a link', () => {
  for (const { kind, tab, typing, stored } of samples) {
    inBrowser(`of the kind “${tab}”, and lands on the owner's page`, async (page) => {
      await page.goto(at('/'))
      const tabs = page.getByRole('navigation', { name: 'Kind of link' })
      await follow(page, tabs.getByRole('link', { name: tab, exact: true }))
      assert.equal(await tabs.locator('[aria-current=page]').textContent(), tab)

      await type(page, typing)
      assert.equal(await press(page, 'Create'), 200)
      const token = tokenOf(page)
      const link = await details<{ code: string }>(server, { token })
      assert.partialDeepStrictEqual(link, { kind, active: true, ...stored })

      assert.match((await page.locator('#created').textContent()) ?? '', /ready.*leads back here/s)
      const shortUrl = `${server.url}/${link.code}`
      assert.equal(await page.getByRole('link', { name: shortUrl, exact: true }).getAttribute('href'), shortUrl)
      const picture = await page.getByRole('img', { name: shortUrl }).screenshot()
      assert.deepEqual(
        (await readWithZxing(picture)).map(({ text }) => text),
        [`${shortUrl}?qr=1`],
        'the image on the screen can be scanned',
      )
      await toOwnersPage(page)
      assert.deepEqual(await typed(page), destinationOf(typing))
    })
  }

  test('of every kind', () => {
    assert.deepEqual(
      samples.map(({ kind }) => kind),
      kinds.map(({ name }) => name),
    )
  })

  inBrowser('and downloads the images under the name of the code', async (page) => {
    const link = await create(server, { target: EXAMPLE })
    await page.goto(ownersPage(link))
    for (const [name, file, start] of [
      ['To print (A4)', `${link.code}-a4.pdf`, '%PDF'],
      ['For WhatsApp and Instagram', `${link.code}.png`, '\x89PNG'],
      ['For a print shop', `${link.code}.pdf`, '%PDF'],
    ] as const) {
      const downloading = page.waitForEvent('download')
      await page.locator('.owner-code').getByRole('link', { name, exact: true }).click()
      const download = await downloading
      assert.equal(download.suggestedFilename(), file)
      assert.equal((await readFile(await download.path())).toString('latin1', 0, 4), start)
    }
  })
})

describe('a mistake', () => {
  const long = 'x'.repeat(201)
  const mistakes: { name: string; path: string; wrong: Typing; field: string; fault: RegExp; right: Typing }[] = [
    {
      name: 'a destination on a private network',
      path: '/',
      wrong: { target: 'http://localhost/', title: 'My menu', campaign: 'summer', utm_source: 'flyer' },
      field: 'target',
      fault: /no public web address/,
      right: { target: EXAMPLE },
    },
    {
      name: 'a code with a space',
      path: '/',
      wrong: { target: EXAMPLE, alias: 'my menu', utm_medium: 'qr' },
      field: 'alias',
      fault: /A code has 1 to 64 characters/,
      right: { alias: 'my-menu' },
    },
    {
      name: 'a title that is too long',
      path: '/',
      wrong: { target: EXAMPLE, title: long },
      field: 'title',
      fault: /at most 200 characters, please/,
      right: { title: 'Menu' },
    },
    {
      name: 'an app on a private network',
      path: '/?kind=appstore',
      wrong: { ios: EXAMPLE, android: 'https://10.0.0.1/app', fallback: EXAMPLE, alias: 'our-app' },
      field: 'android',
      fault: /only inside a private network/,
      right: { android: EXAMPLE },
    },
    {
      name: 'a contact without a name',
      path: '/?kind=vcard',
      wrong: { jobTitle: 'Baker', phone: '+49 30 1234', email: 'zoe@example.com', website: EXAMPLE },
      field: 'firstName',
      fault: /enter a first name, a last name or a company/,
      right: { firstName: 'Zoë' },
    },
    {
      name: 'a web site that is no http address',
      path: '/?kind=vcard',
      wrong: { firstName: 'Zoë', lastName: 'O’Neill', website: 'ftp://example.com/' },
      field: 'website',
      fault: /begin with https/,
      right: { website: EXAMPLE },
    },
    {
      name: 'a heading of nothing but spaces',
      path: '/?kind=page',
      wrong: {
        headline: ' ',
        description: 'Open daily.\n\n\tFrom 7 to 18.',
        link_label: ['Menu'],
        link_url: [EXAMPLE],
      },
      field: 'headline',
      fault: /give the page a heading/,
      right: { headline: 'Müller' },
    },
  ]

  for (const { name, path, wrong, field, fault, right } of mistakes) {
    inBrowser(`such as ${name} is shown beside its field, and the form keeps all values`, async (page) => {
      const links = await countLinks()
      await page.goto(at(path))
      await type(page, wrong)
      const before = await typed(page)
      assert.equal(await press(page, 'Create'), 400)

      assert.deepEqual(await typed(page), wrong[field] === ' ' ? without(before, field) : before)
      assert.ok((await distance(page, fault, field)) < 40, 'the fault stands beside the field')
      const marked = await page
        .locator('[aria-invalid=true]')
        .evaluateAll((all: { name: string }[]) => all.map((one) => one.name))
      assert.deepEqual(marked, [field])
      assert.equal(await countLinks(), links)

      await type(page, right)
      assert.equal(await press(page, 'Create'), 200)
      await toOwnersPage(page)
      assert.deepEqual(await typed(page), destinationOf({ ...before, ...right }))
      assert.equal(await countLinks(), links + 1)
    })
  }

  inBrowser('in one of the buttons of a page is shown at its row, and the form keeps all values', async (page) => {
    await page.goto(at('/?kind=page'))
    const typing = {
      headline: 'Müller',
      link_label: ['Menu', 'Printer'],
      link_url: [EXAMPLE, 'http://printer.local/'],
    }
    await type(page, typing)
    assert.equal(await press(page, 'Create'), 400)
    assert.deepEqual(await typed(page), typing)
    const fault = page.getByRole('group', { name: 'Buttons' }).locator('.fault')
    assert.match((await fault.textContent()) ?? '', /only inside a private network/)
    const marked = page.locator('[aria-invalid]')
    assert.deepEqual([await marked.count(), await marked.inputValue()], [1, 'http://printer.local/'])
  })

  inBrowser('in a UTM parameter is shown there, and opens their section', async (page) => {
    await page.goto(at('/'))
    const typing = { target: EXAMPLE, utm_source: long, utm_campaign: 'autumn' }
    await type(page, typing)
    assert.equal(await press(page, 'Create'), 400)
    assert.deepEqual(await typed(page), typing)
    assert.ok(await page.locator('details[open] .fault', { hasText: 'at most 200 characters' }).isVisible())
  })

  for (const [fault, alias] of [
    ['taken', 'Autumn'],
    ['reserved', 'login'],
  ] as const) {
    inBrowser(`such as a ${fault} code is shown, and the form keeps all values`, async (page) => {
      if (fault === 'taken') await create(server, { target: EXAMPLE, alias: 'autumn' })
      await page.goto(at('/'))
      const typing = { target: EXAMPLE, alias, title: 'Menu', campaign: 'autumn', utm_source: 'flyer' }
      await type(page, typing)
      assert.equal(await press(page, 'Create'), 409)
      assert.match((await page.locator('.fault').textContent()) ?? '', new RegExp(fault))
      assert.deepEqual(await typed(page), typing)
      await type(page, { alias: `${alias}-2` })
      await press(page, 'Create')
      assert.equal((await details(server, { token: tokenOf(page) })).code, `${alias}-2`)
    })
  }

  inBrowser('that the browser detects, a missing destination, is not sent', async (page) => {
    await page.goto(at('/'))
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await page.getByRole('button', { name: 'Create' }).click()
    assert.ok(await page.locator('[name=target]:invalid').isVisible())
    await page.locator('summary').first().click()
    assert.deepEqual(sent, [])
    assert.equal(page.url(), at('/'))
  })

  inBrowser(
    'in a change is shown beside its field; the link is unchanged and the form keeps all values',
    async (page) => {
      const link = await create(server, { target: EXAMPLE, title: 'Before', utm: { utm_source: 'flyer' } })
      await page.goto(ownersPage(link))
      const typing = { target: 'https://[::1]/', utm_source: 'window' }
      await type(page, typing)
      assert.equal(await press(page, 'Save'), 400)
      assert.deepEqual(await typed(page), typing)
      assert.ok((await distance(page, /only inside a private network/, 'target')) < 40)
      assert.partialDeepStrictEqual(await details(server, link), { target: EXAMPLE, title: 'Before' })
      await type(page, { target: 'https://example.org/' })
      assert.equal(await press(page, 'Save'), 200)
      assert.partialDeepStrictEqual(await details(server, link), { target: 'https://example.org/', title: 'Before' })
    },
  )
})

describe('the owner', () => {
  inBrowser('changes the target, and the next visit goes there', async (page) => {
    const utm = { utm_term: 'bread', utm_source: 'flyer' }
    const link = await create(server, { target: EXAMPLE, title: 'Menu', campaign: 'summer', utm })
    assert.equal(await location(link), `${EXAMPLE}?utm_term=bread&utm_source=flyer`)
    await page.goto(ownersPage(link))
    await type(page, { target: 'https://example.org/new', utm_source: 'window' })
    assert.equal(await press(page, 'Save'), 200)
    assert.equal(await page.getByRole('status').textContent(), 'Saved.')
    // The form does not show utm_term; saving must not remove it.
    assert.equal(await location(link), 'https://example.org/new?utm_term=bread&utm_source=window')
    assert.partialDeepStrictEqual(await details(server, link), { title: 'Menu', campaign: 'summer' })
  })

  inBrowser('sees no inputs for UTM parameters where they have no effect, and stored ones stay', async (page) => {
    const utm = { utm_source: 'flyer' }
    const link = await create(server, { kind: 'vcard', lastName: 'Lovelace', utm })
    for (const shown of [at('/?kind=vcard'), ownersPage(link)]) {
      await page.goto(shown)
      assert.ok((await page.locator('[name=title]').count()) > 0)
      assert.equal(await page.locator('[name=utm_source]').count(), 0)
    }
    await type(page, { lastName: 'Byron' })
    assert.equal(await press(page, 'Save'), 200)
    assert.partialDeepStrictEqual(await details(server, link), { payload: { lastName: 'Byron' }, utm })
  })

  inBrowser('removes a button from a page and adds others, and the next visit shows them', async (page) => {
    const link = await create(server, {
      kind: 'page',
      headline: 'Müller',
      links: ['One', 'Two', 'Three'].map((label) => ({ label, url: `https://example.com/${label}` })),
    })
    await page.goto(ownersPage(link))
    await type(page, {
      link_label: ['One', '', 'Three', 'Four', 'Five'],
      link_url: ['One', '', 'Three', 'Four', 'Five'].map((label) => label && `https://example.org/${label}`),
    })
    assert.equal(await press(page, 'Save'), 200)
    await page.goto(link.short_url)
    const buttons = await page.locator('main').getByRole('link').all()
    assert.deepEqual(
      await Promise.all(buttons.map(async (button) => [await button.textContent(), await button.getAttribute('href')])),
      ['One', 'Three', 'Four', 'Five'].map((label) => [label, `https://example.org/${label}`]),
    )
  })

  inBrowser('changes a paused link without resuming it', async (page) => {
    const link = await create(server, { target: EXAMPLE })
    await put(at(`/api/manage/${link.token}`), { active: false })
    await page.goto(ownersPage(link))
    await type(page, { target: 'https://example.org/' })
    assert.equal(await press(page, 'Save'), 200)
    assert.equal((await visit(link.short_url)).status, 404)
    await put(at(`/api/manage/${link.token}`), { active: true })
    assert.equal(await location(link), 'https://example.org/')
  })

  inBrowser('with two windows cannot overwrite in the second a change of the first without a warning', async (page) => {
    const link = await create(server, { target: EXAMPLE, title: 'Menu' })
    const second = await page.context().newPage()
    await page.goto(ownersPage(link))
    await second.goto(ownersPage(link))

    await type(page, { target: 'https://example.com/first' })
    assert.equal(await press(page, 'Save'), 200)
    const typing = { target: 'https://example.com/second', utm_medium: 'qr' }
    await type(second, typing)
    assert.equal(await press(second, 'Save'), 412)
    assert.match((await second.getByRole('alert').textContent()) ?? '', /changed elsewhere/)
    assert.deepEqual(await typed(second), typing)
    assert.equal(await location(link), 'https://example.com/first')

    // Saving again after the message overwrites the other change.
    assert.equal(await press(second, 'Save'), 200)
    assert.equal(await location(link), 'https://example.com/second?utm_medium=qr')
    await second.close()
  })

  inBrowser('sees no warning of another change after saving and reloading the page', async (page) => {
    const link = await create(server, { target: EXAMPLE })
    await page.goto(ownersPage(link))
    await type(page, { target: 'https://example.org/' })
    await press(page, 'Save')
    assert.equal((await page.reload())?.status(), 200)
    assert.equal(await page.getByRole('alert').count(), 0)
  })

  inBrowser('with a letter missing from the token gets a 404', async (page) => {
    const link = await create(server, { target: EXAMPLE })
    const response = await page.goto(ownersPage(link).slice(0, -1))
    assert.equal(response?.status(), 404)
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'There is no link for this address')
  })
})

describe('the creation form, submitted twice,', () => {
  const sendTwice = async (page: Page, sendAgain: () => Promise<void>) => {
    const links = await countLinks()
    await press(page, 'Create')
    const first = tokenOf(page)
    await sendAgain()
    assert.equal(tokenOf(page), first)
    assert.equal(await countLinks(), links + 1)
  }

  inBrowser('creates one link after a double click', async (page) => {
    const links = await countLinks()
    await page.goto(at('/'))
    await type(page, { target: EXAMPLE })
    await page.getByRole('button', { name: 'Create' }).dblclick()
    await page.getByRole('heading', { name: 'Your link is ready' }).waitFor()
    assert.equal(await countLinks(), links + 1)
    assert.equal((await details(server, { token: tokenOf(page) }))['target'], EXAMPLE)
  })

  inBrowser('creates one link when both arrive at the same time', async (page) => {
    const links = await countLinks()
    await page.goto(at('/'))
    await type(page, { target: EXAMPLE })
    const form = await page.evaluate<[string, string][]>('[...new FormData(document.forms[0])]')
    const send = async () => {
      const response = await fetch(at('/'), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
      assert.equal(response.status, 303)
      return response.headers.get('location')
    }
    const places = await Promise.all([send(), send(), send()])
    await press(page, 'Create')
    assert.deepEqual(new Set(places), new Set([`/m/${tokenOf(page)}?created`]))
    assert.equal(await countLinks(), links + 1)
  })

  for (const { kind, tab, typing } of samples) {
    const path = kind === 'url' ? '/' : `/?kind=${kind}`
    inBrowser(`creates one link after the back button: ${tab}`, async (page) => {
      await page.goto(at(path))
      await type(page, without(typing, 'alias'))
      await sendTwice(page, async () => {
        await page.goBack()
        assert.deepEqual(await typed(page), without(typing, 'alias'))
        await press(page, 'Create')
      })
    })
  }

  inBrowser('creates a second link after the back button when the values differ', async (page) => {
    const links = await countLinks()
    await page.goto(at('/?kind=appstore'))
    await type(page, { ios: EXAMPLE })
    await press(page, 'Create')
    const first = tokenOf(page)
    await page.goBack()
    await type(page, { ios: 'https://example.com/another' })
    assert.equal(await press(page, 'Create'), 200)
    assert.notEqual(tokenOf(page), first)
    assert.equal(await countLinks(), links + 2)
  })
})

describe('a page shows the text of a hostile owner literally and runs none of it:', () => {
  const texts = {
    markup: `"'></textarea></title><script>alert(1)</script>`,
    attributes: '" onfocus=alert(1) autofocus x="&lt;b&gt;',
  }
  const urls = {
    markup: `https://example.com/"'></code></a><script>alert(1)</script>`,
    attributes: 'https://example.com/"onmouseover="alert(1)"&lt;b&gt;',
  }
  const common = ['title', 'campaign']
  /** Whether an input takes no text. */
  const isChosen = (input: FormField['input']) => ['date', 'time', 'zone'].includes(input)
  const utmNames = ['utm_source', 'utm_medium', 'utm_campaign']

  /** Asserts that no part of the text has become an element, an attribute or a URL that runs. */
  const assertInert = async (page: Page) => {
    const alive = await page.evaluate<string[]>(
      `{
        const foreign = 'script:not([src^="/assets/"]), style, iframe, object, base, meta[http-equiv], img:not(.qr)'
        const isPreview = (element) => element.matches('.preview > img') && element.src.startsWith('blob:' + origin)
        const attributes = [...document.querySelectorAll('*')]
          .filter((element) => !isPreview(element))
          .flatMap((element) => [...element.attributes])
        const addresses = attributes
          .filter(({ name }) => ['href', 'src', 'action', 'formaction'].includes(name))
          .map(({ value }) => new URL(value, document.baseURI))
        const all = [
          ...[...document.querySelectorAll(foreign)].map((element) => element.outerHTML),
          ...attributes.filter(({ name }) => name.startsWith('on') || name === 'style').map(({ name }) => name),
          ...addresses.filter(({ protocol }) => !/^(https?|tel|mailto):$/.test(protocol)).map(({ href }) => href),
        ]
        all
      }`,
    )
    assert.deepEqual(alive, [])
  }

  for (const kind of kinds) {
    for (const how of ['markup', 'attributes'] as const) {
      inBrowser(
        `${how} in every field of the kind “${kind.texts.en.name}”`,
        async (page) => {
          const byField = kind.form.map(({ name, input }): Typing => {
            if (input === 'links') return { link_label: [texts[how]], link_url: [urls[how]] }
            if (input === 'color') return {}
            if (isChosen(input)) return { [name]: String(inputsOf(kind)[name]) }
            // As long as it may be.
            if (name === 'avatar') return { avatar: texts[how].slice(0, 16) }
            return { [name]: input === 'url' ? urls[how] : texts[how] }
          })
          const names = kind.takesUtm ? [...common, ...utmNames] : common
          const typing: Typing = Object.assign({}, ...byField, ...names.map((name) => ({ [name]: texts[how] })))
          const flat = Object.fromEntries(Object.entries(typing).map(([name, text]) => [name, [text].flat().join('')]))

          await page.goto(at(`/?kind=${kind.name}`))
          await force(page, { ...typing, alias: texts[how] })
          assert.equal(await press(page, 'Create'), 400)
          assert.deepEqual(await typed(page), { ...flat, alias: texts[how] })
          await assertInert(page)

          await force(page, { alias: '' })
          assert.equal(await press(page, 'Create'), 200)
          const { code } = await details<{ code: string }>(server, { token: tokenOf(page) })
          await assertInert(page)
          await toOwnersPage(page)
          assert.deepEqual(await typed(page), destinationOf(flat as Typing))
          assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), texts[how])
          assert.equal(await page.title(), `${texts[how]}: your link`)
          await assertInert(page)

          await page.goto(at(`/${code}+`))
          await assertInert(page)
          const hasUrls = kind.form.some(({ input }) => input === 'url' || input === 'links')
          assert.ok(
            !hasUrls || (await page.locator('code').allTextContents()).some((text) => text.startsWith(urls[how])),
          )

          if ((await visit(at(`/${code}`))).status !== 200) return
          await page.goto(at(`/${code}`))
          await assertInert(page)
          const shown = await page.locator('main').innerText()
          for (const [name, text] of Object.entries(flat)) {
            const input = kind.form.find((field) => field.name === name)?.input
            // A button links to its URL and does not show it.
            const isUnseen = [...common, ...utmNames, 'link_url', 'url'].includes(name) || (input && isChosen(input))
            if (!isUnseen) assert.ok(shown.includes(text), `${name} is shown`)
          }
        },
        { scripts: true },
      )
    }

    inBrowser(
      `javascript: in every URL of the kind “${kind.texts.en.name}” is refused`,
      async (page) => {
        const links = await countLinks()
        const address = 'javascript:alert(1)//'
        const typing: Typing = Object.assign(
          { title: address },
          ...kind.form.map(({ name, input }) => {
            if (input === 'links') return { link_label: [address], link_url: [address] }
            if (isChosen(input)) return { [name]: String(inputsOf(kind)[name]) }
            return input === 'color' ? {} : { [name]: name === 'avatar' ? 'x' : address }
          }),
        )
        await page.goto(at(`/?kind=${kind.name}`))
        await force(page, typing)
        assert.equal(await press(page, 'Create'), 400)
        await assertInert(page)
        assert.ok(await page.getByText('begin with https://').first().isVisible())
        assert.equal(await countLinks(), links)
      },
      { scripts: true },
    )
  }

  inBrowser(
    'markup in a path of the service',
    async (page) => {
      const bad = encodeURIComponent(texts.markup)
      const paths = [
        `/?kind=${bad}`,
        `/${bad}`,
        `/${bad}+`,
        `/m/${bad}`,
        `/a/${bad}`,
        `/x/qr.png?fg=${bad}`,
        `/?${bad}`,
      ]
      for (const path of paths) {
        const response = await page.goto(at(path))
        assert.match(response?.headers()['content-type'] ?? '', /^text\/html/, path)
        await assertInert(page)
      }
    },
    { scripts: true },
  )
})

describe('a visitor', () => {
  inBrowser('sees the heading, the text and the buttons of a page', async (page) => {
    const link = await create(server, { ...sampleOf('page'), title: 'Only for me', campaign: 'secret' })
    await page.goto(link.short_url)
    assert.equal(await page.title(), 'Müller’s Bakery')
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Müller’s Bakery')
    assert.equal(await page.locator('p.text').innerText(), 'Open daily.\nFrom 7 to 18.', 'the line break is shown')
    assert.equal(await page.getByRole('link', { name: 'Menu' }).getAttribute('href'), EXAMPLE)
    assert.equal(await page.getByRole('link', { name: 'Book' }).getAttribute('href'), 'https://example.org/book')
    assert.doesNotMatch(await page.content(), /Only for me|secret/, 'a visitor must not see the fields for the owner')
  })

  inBrowser('sees a contact with links to call and write, and saves the card', async (page) => {
    const link = await create(server, { ...sampleOf('vcard'), title: 'Only for me', campaign: 'secret' })
    await page.goto(link.short_url)
    assert.equal(await page.title(), 'Zoë O’Neill')
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Zoë O’Neill')
    const shown = await page.locator('main').innerText()
    for (const text of ['Baker', 'Müller & Söhne', '+49 30 1234', 'zoe@example.com', EXAMPLE]) {
      assert.ok(shown.includes(text), text)
    }
    const href = (name: string) => page.getByRole('link', { name }).getAttribute('href')
    assert.equal(await href('+49 30 1234'), 'tel:+49301234')
    assert.equal(await href('zoe@example.com'), 'mailto:zoe@example.com')
    assert.equal(await href(EXAMPLE), EXAMPLE)
    assert.doesNotMatch(await page.content(), /Only for me|secret/)

    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Save contact' }).click()
    const download = await downloading
    assert.equal(download.suggestedFilename(), `${link.code}.vcf`)
    const card = await readFile(await download.path(), 'utf8')
    assert.match(card, /^BEGIN:VCARD\r\nVERSION:3\.0\r\n(?:.+\r\n)*END:VCARD\r\n$/)
    for (const line of ['N:O’Neill;Zoë;;;', 'FN:Zoë O’Neill', 'TEL:+49 30 1234', `URL:${EXAMPLE}`]) {
      assert.ok(card.split('\r\n').includes(line), line)
    }
  })

  inBrowser('sees the target on the preview of a code, and the button leads there', async (page) => {
    const { short_url: url } = await create(server, { target: EXAMPLE, utm: { utm_source: 'flyer' } })
    await page.goto(`${url}+`)
    assert.deepEqual(await page.locator('code').allInnerTexts(), [`${EXAMPLE}?utm_source=flyer`])
    assert.equal(await page.getByRole('link', { name: 'Go there' }).getAttribute('href'), new URL(url).pathname)

    const app = await create(server, { kind: 'appstore', ios: 'https://apps.apple.com/1', fallback: EXAMPLE })
    await page.goto(`${app.short_url}+`)
    assert.match(await page.locator('main').innerText(), /iPhone and iPad:\s+https:\/\/apps\.apple\.com\/1\s/)

    const leaflet = await create(server, { kind: 'page', headline: 'x', links: [{ label: 'y', url: EXAMPLE }] })
    await page.goto(`${leaflet.short_url}+`)
    assert.deepEqual(await page.locator('code').allInnerTexts(), [EXAMPLE])
  })
})

describe('every page', () => {
  /** A page and how to open it; `open` returns the status. */
  interface Stop {
    name: string
    status: number
    open: (page: Page) => Promise<number | undefined>
  }

  const byAddress = (name: string, path: string, status = 200): Stop => ({
    name,
    status,
    open: async (page) => (await page.goto(at(path)))?.status(),
  })

  /** The pages of a link of each kind, and of links whose texts have no break opportunity. */
  const pagesOfLinks = async (): Promise<Stop[]> => {
    const word = 'Donaudampfschifffahrtsgesellschaft'.repeat(3).slice(0, 100)
    const url = `https://example.com/${'x'.repeat(500)}`
    const longOnes = [
      { kind: 'url', target: url, title: word, campaign: word, utm: { utm_source: word } },
      { kind: 'appstore', ios: url, android: EXAMPLE },
      { kind: 'vcard', firstName: word, org: word, jobTitle: word, email: `${word}@example.com`, website: url },
      { kind: 'page', headline: word, description: word, links: [{ label: word, url }] },
      { kind: 'event', summary: word, start: '2027-06-12', location: word, description: word, url },
    ]
    const bodies = [...samples.map(({ kind, stored }) => ({ kind, ...stored })), ...longOnes]
    const links = await Promise.all(bodies.map(async (body) => ({ ...body, ...(await create(server, body)) })))
    return links.flatMap(({ kind, code, token }, index) => {
      const which = `${index < samples.length ? 'a' : 'a long'} ${kind}`
      return [
        byAddress(`owner of ${which}`, `/m/${token}?created`),
        byAddress(`preview of ${which}`, `/${code}+`),
        ...(findKind(kind)?.redirects === false ? [byAddress(`visit of ${which}`, `/${code}`)] : []),
      ]
    })
  }

  const everyPage = async (): Promise<Stop[]> => {
    const [paused, gone, doomed] = await Promise.all([
      create(server, { target: EXAMPLE }),
      create(server, { target: EXAMPLE }),
      create(server, { target: EXAMPLE, utm: { utm_source: 'flyer' } }),
    ])
    await put(at(`/api/manage/${paused.token}`), { active: false })
    await fetch(at(`/api/manage/${gone.token}`), { method: 'DELETE' })
    return [
      ...kinds.map(({ name }) => byAddress(`form of a ${name}`, `/?kind=${name}`)),
      ...(await pagesOfLinks()),
      byAddress('owner of a paused link', `/m/${paused.token}`),
      byAddress('visit of a paused link', `/${paused.code}`, 404),
      byAddress('visit of a deleted link', `/${gone.code}`, 410),
      byAddress('unknown code', '/nothing-here', 404),
      byAddress('unknown path', '/a/b/c', 404),
      byAddress('unknown token', '/m/nothing', 404),
      byAddress('image that cannot be', `/${paused.code}/qr.png?size=0`, 400),
      {
        name: 'refused creation',
        status: 400,
        async open(page) {
          await page.goto(at('/?kind=page'))
          await type(page, { headline: ' ', link_label: ['x'], link_url: ['http://localhost/'], alias: 'a b' })
          return press(page, 'Create')
        },
      },
      {
        name: 'refused change',
        status: 400,
        async open(page) {
          await page.goto(ownersPage(doomed))
          await type(page, { target: 'http://localhost/', utm_source: 'x'.repeat(201) })
          return press(page, 'Save')
        },
      },
      {
        name: 'deletion',
        status: 410,
        async open(page) {
          await page.goto(ownersPage(doomed))
          await page.getByLabel('Yes, delete this link').check()
          return press(page, 'Delete')
        },
      },
    ]
  }

  inBrowser(
    'meets the requirements of a page:',
    async (page, t) => {
      const stops = await everyPage()
      const found: {
        name: string
        requested: string[]
        broken: string[]
        axe: string[]
        bare: string[]
        wide: string[]
      }[] = []
      const requests: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      for (const { name, status, open } of stops) {
        requests.length = 0
        assert.equal(await open(page), status, name)
        await page.evaluate('for (const folded of document.querySelectorAll("details")) folded.open = true')
        found.push({
          name,
          requested: [...requests],
          // The preview's image may still be loading after the page's load event.
          broken:
            await page.evaluate(`Promise.allSettled([...document.images].map((image) => image.decode())).then(() => [
            getComputedStyle(document.body).margin !== '0px' && 'style',
            ...[...document.images].map((image) => image.naturalWidth === 0 && image.src),
          ].filter(Boolean))`),
          bare: await bareness(page),
          axe: await accessibilityFaults(page),
          wide: await overflow(page, [320, 1280]),
        })
      }
      page.removeAllListeners('request')

      const none = (fault: 'broken' | 'axe' | 'bare' | 'wide') =>
        assert.deepEqual(
          found.filter((page) => page[fault].length > 0).map((page) => [page.name, page[fault]]),
          [],
        )
      await t.test('it has a title, a language, one heading, and a label for each field', () => none('bare'))
      await t.test('axe finds no accessibility fault, in light and dark colours', () => none('axe'))
      await t.test('nothing overflows a narrow or a wide window, however long its words', () => none('wide'))
      await t.test('its style and its images load', () => none('broken'))
      await t.test('it requests itself and its style, and nothing from other hosts', () => {
        for (const { name, requested } of found) {
          assert.ok(
            requested.some((url) => /\/assets\/(site|visitor)-[\da-f]{16}\.css$/.test(url)),
            name,
          )
          assert.deepEqual(
            requested.filter((url) => !url.replace(/^blob:/, '').startsWith(`${server.url}/`)),
            [],
            name,
          )
        }
      })
    },
    { scripts: true },
  )

  test('logs no error', () => assert.deepEqual(server.logged, []))
})

/** The required parts that a page lacks. */
function bareness(page: Page): Promise<string[]> {
  return page.evaluate(`[
    document.title.trim() === '' && 'title',
    document.documentElement.lang !== 'en' && 'language',
    document.querySelectorAll('h1').length !== 1 && 'one heading',
    document.querySelector('h1')?.innerText.trim() === '' && 'text in the heading',
    document.querySelector('meta[name=viewport]') === null && 'viewport',
    ...[...document.querySelectorAll('img')].map((image) => !image.alt && 'alternative of ' + image.src),
    ...[...document.querySelectorAll('input:not([type=hidden]), textarea, select')]
      .map((field) => !field.labels[0]?.innerText.trim() && 'label of ' + field.name),
  ].filter(Boolean)`)
}

/** The window widths that the page overflows. */
async function overflow(page: Page, widths: number[]): Promise<string[]> {
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 720 })
    const needed = await page.evaluate<number>('document.documentElement.scrollWidth')
    if (needed > width) faults.push(`${needed} of ${width} pixels`)
  }
  return faults
}

/** The target that a visit of the link is redirected to. */
async function location(link: Created): Promise<string | null> {
  const response = await visit(link.short_url)
  assert.equal(response.status, 302)
  return response.headers.get('location')
}

/** What the form of the destination on the owner's page shows of it: the others are settings. */
function destinationOf(typing: Typing): Typing {
  return ['alias', 'title', 'campaign'].reduce(without, typing)
}

function without(typing: Typing, field: string): Typing {
  return Object.fromEntries(Object.entries(typing).filter(([name, text]) => name !== field && text !== ''))
}
