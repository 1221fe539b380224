import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { readWithZxing } from './support/decoders.ts'
import { anyCharacter, fc, runs } from './support/fast-check.ts'
import { post, put, startServer, type TestServer } from './support/server.ts'

// A text that goes in comes out letter for letter, or is refused by its field. URLs, of which invisible ends are dropped with
// a word, have test/invisible-characters.test.ts; tables and imports have test/tables.test.ts.

const end = endOfFile()
let server: TestServer
before(async () => {
  server = await startServer(end, { BASE_URL: 'https://go.bakery.shop' })
})

/** Parts that programs change: white space, invisible and composed letters, controls, halves of letters, marks of other formats. */
const odd = fc.oneof(
  fc.constantFrom(
    ...Array.from(' \t\n\r\0\u0007\u00a0\u2003\u3000\u200b\u200d\ufeff\u202eéßİıﬁÅ\u212b가𝒳\u0301\ud800"\'\\;,%'),
  ),
  fc.constantFrom(...'\r\n|e\u0301|ᄀ\u1161|👩‍💻|🇩🇪|1️⃣|=1+1|@SUM(A1)|-2|+49|NULL|null|\\N|\\n|&amp;|<b>|%20'.split('|')),
  fc.constantFrom('__proto__', 'https://example.com', '0.10', '1e5', '007', 'true'),
)
const text = fc
  .array(
    fc.oneof(odd, fc.string({ unit: 'grapheme', maxLength: 5 }), fc.string({ unit: anyCharacter, maxLength: 3 })),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))

interface Stored {
  code: string
  token: string
  title: string | null
  campaign: string | null
  utm: Record<string, string>
  payload: Record<string, unknown>
  errors?: { pointer: string }[]
}

const stored = async (token: string) => (await (await fetch(`${server.url}/api/manage/${token}`)).json()) as Stored

/** Whether a text may be refused: it has a control character or half of a letter, is blank, or longer than an avatar may be. */
const isRefusable = (value: unknown) =>
  typeof value === 'string' &&
  (/(?![\t\n\r])\p{Cc}/u.test(value) || !value.isWellFormed() || !value.trim() || value.length > 16)

/** Asserts that a refusal names fields that were sent, each with a reason to refuse it. */
function assertNamed({ errors = [] }: Stored, sent: object): void {
  assert.ok(errors.length > 0)
  for (const { pointer } of errors) {
    const [, ...names] = pointer.split('/')
    const named = names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], sent)
    assert.ok(isRefusable(named), `${pointer}: ${JSON.stringify(named)}`)
  }
}

async function bodyOf(response: Promise<Response>): Promise<{ status: number; body: Stored }> {
  const answer = await response
  return { status: answer.status, body: (await answer.json()) as Stored }
}

const optional = fc.option(text, { nil: undefined })
const common = {
  title: optional,
  campaign: optional,
  utm: fc.option(
    text.map((utm_term) => ({ utm_term })),
    { nil: undefined },
  ),
}
const bodies = {
  url: fc.record(common).map((fields) => ({ ...fields, target: 'https://example.com/menu' })),
  vcard: fc.record({ ...common, firstName: text, lastName: optional, org: optional, jobTitle: optional }),
  page: fc.record({ ...common, headline: text, description: optional, avatar: optional, label: optional }),
}

/** The request of a kind: fields that are not given are left out by JSON. */
function requestOf(kind: string, { label, ...fields }: Record<string, unknown>): Record<string, unknown> {
  return { kind, ...fields, ...(label !== undefined && { links: [{ label, url: 'https://example.com/' }] }) }
}

/** Asserts that a link has what was sent, letter for letter. */
function assertSame(link: Stored, sent: Record<string, unknown>): void {
  const had: Record<string, unknown> = { ...link.payload, title: link.title, campaign: link.campaign, utm: link.utm }
  for (const [name, value] of Object.entries(sent)) {
    if (value !== undefined && name !== 'kind' && name !== 'target') assert.deepEqual(had[name], value, name)
  }
}

for (const [kind, fields] of Object.entries(bodies)) {
  test(`each text of a ${kind} comes back as it was sent, after a creation and after a change, or its field is named`, async (t) => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fields, fields, async (first, second) => {
        const [sent, changed] = [requestOf(kind, first), requestOf(kind, second)]
        const created = await bodyOf(post(`${server.url}/api/links`, sent))
        if (created.status === 400) return assertNamed(created.body, sent)
        assert.equal(created.status, 201)
        const { token } = created.body
        assertSame(await stored(token), sent)
        const before = await stored(token)
        const { kind: _, ...change } = changed
        const answer = await bodyOf(put(`${server.url}/api/manage/${token}`, change))
        if (answer.status === 400) {
          assertNamed(answer.body, change)
          return assert.deepEqual(await stored(token), before)
        }
        assert.equal(answer.status, 200)
        assertSame(await stored(token), changed)
        taken++
      }),
      { numRuns: runs(100) },
    )
    t.diagnostic(`${taken} were created and changed`)
    assert.ok(taken >= 10, 'most were refused')
  })
}

/** The values of a vCard 3.0: unfolded and unescaped (RFC 2426, section 5). */
function readCard(file: string): Map<string, string> {
  const lines = file.replace(/\r\n[ \t]/g, '').split('\r\n')
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(':')
      const unescaped = line
        .slice(at + 1)
        .replace(/\\([\\,;nN])/g, (_, mark: string) => (mark.toLowerCase() === 'n' ? '\n' : mark))
      return [line.slice(0, at), unescaped] as const
    }),
  )
}

test('the file of a contact has its texts letter for letter, but for how lines end', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (org, jobTitle) => {
      const { status, body } = await bodyOf(
        post(`${server.url}/api/links`, { kind: 'vcard', firstName: 'Ada', org, jobTitle }),
      )
      if (status === 400) return assertNamed(body, { org, jobTitle })
      const card = readCard(await (await fetch(`${server.url}/${body.code}.vcf`)).text())
      const lines = (value: string) => (value === '' ? undefined : value.replace(/\r\n?/g, '\n'))
      assert.equal(card.get('ORG'), lines(org))
      assert.equal(card.get('TITLE'), lines(jobTitle))
    }),
    { numRuns: runs(100) },
  )
})

test('a QR code of a text has the text letter for letter, or the text is refused', async () => {
  await fc.assert(
    fc.asyncProperty(text, async (data) => {
      const query = new URLSearchParams({ data, size: '300' })
      const response = await fetch(`${server.url}/api/qr?${query.toString()}`)
      // Half of a letter is written as U+FFFD by the client itself.
      const sent = data.toWellFormed()
      if (response.status === 400) return assertNamed((await response.json()) as Stored, { data })
      assert.equal(response.status, 200)
      const [reading] = await readWithZxing(Buffer.from(await response.arrayBuffer()))
      assert.equal(Buffer.from(reading?.bytes ?? '', 'latin1').toString(), sent)
    }),
    { numRuns: runs(100) },
  )
})
