import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, runs } from './support/fast-check.ts'
import { cheapScrypt, enter } from './support/passwords.ts'
import { create, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

const passwords = ['first horse', 'second horse', 'wrong horse'] as const

/** A link as a person would write it down. */
interface Kept {
  link: Created
  state: 'live' | 'paused' | 'deleted'
  password: string | null
  target: string
  scans: number
}

type Command =
  | { do: 'visit' | 'look' | 'move' | 'pause' | 'resume' | 'delete' }
  | { do: 'enter' | 'enter from a scan'; password: string }
  | { do: 'set'; password: string | null }

const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('visit' as const, 'look' as const) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom('enter' as const, 'enter from a scan' as const),
        password: fc.constantFrom(...passwords),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('set' as const), password: fc.constantFrom(null, ...passwords) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('move' as const, 'pause' as const, 'resume' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const) }) },
  ),
  { minLength: 10, maxLength: 60 },
)

test('whatever is set, removed, entered and changed, each answer is that of a plain record of the link', async (t) => {
  const server = await startServer(t, {}, undefined, { scrypt: cheapScrypt })
  await fc.assert(
    fc.asyncProperty(commands, async (plan) => {
      const target = 'https://example.com/0'
      const link = await create(server, { target })
      const kept: Kept = { link, state: 'live', password: null, target, scans: 0 }
      for (const [at, command] of plan.entries()) {
        if (command.do === 'visit') await visitLink(kept)
        else if (command.do === 'look') await lookAtLink(kept)
        else if ('password' in command && command.do !== 'set') await enterPassword(kept, command)
        else await changeLink(server, kept, command, at)
      }
      if (kept.state === 'deleted') return
      const details = await (await fetch(`${server.url}/api/manage/${link.token}`)).json()
      assert.partialDeepStrictEqual(details, { has_password: kept.password !== null, totals: { scans: kept.scans } })
    }),
    { numRuns: runs(40) },
  )
})

const refusals = { live: undefined, paused: 404, deleted: 410 }

async function visitLink(kept: Kept): Promise<void> {
  const { status, headers } = await visit(kept.link.short_url)
  const opened = kept.password === null ? 302 : 200
  assert.equal(status, refusals[kept.state] ?? opened)
  const leads = kept.state === 'live' && kept.password === null
  assert.equal(headers.get('location'), leads ? kept.target : null)
  if (leads) kept.scans++
}

async function lookAtLink(kept: Kept): Promise<void> {
  const head = await fetch(kept.link.short_url, { method: 'HEAD', redirect: 'manual' })
  const preview = await (await visit(`${kept.link.short_url}+`)).text()
  const isOpen = kept.state === 'live' && kept.password === null
  assert.equal(head.headers.get('location'), isOpen ? kept.target : null)
  assert.equal(preview.includes(kept.target), isOpen)
}

async function enterPassword(kept: Kept, command: { do: string; password: string }): Promise<void> {
  const query = command.do === 'enter' ? '' : '?qr=1'
  const { status, headers } = await enter(kept.link.short_url + query, command.password)
  const isAsked = kept.state === 'live' && kept.password !== null
  const isRight = isAsked && command.password === kept.password
  const answered = isRight ? 303 : 403
  assert.equal(status, isAsked ? answered : 405)
  assert.equal(headers.get('location'), isRight ? kept.target : null)
  if (isRight) kept.scans++
}

async function changeLink(server: TestServer, kept: Kept, command: Command, at: number): Promise<void> {
  const url = `${server.url}/api/manage/${kept.link.token}`
  const wanted = kept.state === 'deleted' ? 404 : 200
  if (command.do === 'delete') {
    assert.equal((await fetch(url, { method: 'DELETE' })).status, wanted)
    kept.state = 'deleted'
    return
  }
  const next = { ...kept }
  if (command.do === 'set') next.password = command.password
  else if (command.do === 'move') next.target = `https://example.com/${at}`
  else next.state = command.do === 'pause' ? 'paused' : 'live'
  const body = {
    ...(command.do === 'set' && { password: next.password }),
    ...(command.do === 'move' && { target: next.target }),
    ...((command.do === 'pause' || command.do === 'resume') && { active: next.state === 'live' }),
  }
  assert.equal((await put(url, body)).status, wanted)
  if (wanted === 200) Object.assign(kept, next)
}
