import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDesigns } from './check-designs.ts'

type Deps = Parameters<typeof checkDesigns>[0]
type Client = Parameters<typeof checkDesigns>[2]

test('rows whose designs take too long to check are refused before their connection counts as stalled', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let left: unknown
  const designs: Partial<Deps['designs']> = {
    checkCodes: (_design, _which, { signal }) => {
      signal?.addEventListener('abort', () => (left = signal.reason))
      return new Promise(() => t.mock.timers.tick(20_000))
    },
  }
  const client: Partial<Client> = { origin: 'http://q', charge: async () => async () => undefined }
  const checked = checkDesigns({ designs } as Deps, [{ code: 'a', value: {} }], client as Client, undefined)
  await assert.rejects(checked, {
    code: 'unavailable',
    message: /designs of these rows take too long to check now/,
    headers: { 'retry-after': '30' },
  })
  assert.ok(left instanceof Error)
})
