import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { fc } from '../fast-check.ts'
import { post, withoutWarnings } from '../server.ts'
import { target, title } from './changes.ts'
import {
  addressOf,
  byToken,
  codeOf,
  command,
  fieldsOf,
  linkAt,
  noteRevision,
  numberOf,
  type CommandKind,
  type Fields,
  type World,
} from './model.ts'
import { around, rules } from './rules.ts'

const fields = fc.oneof(fc.record({ target, rules }), fc.record({ title }), fc.record({ active: fc.boolean(), rules }))
const rows = fc.array(fc.record({ ...byToken, fields }), { minLength: 1, maxLength: 3 })

/** Changes of many links. */
export const manyChanges: CommandKind[] = [
  command('change many', 2, { rows }, async (world, { rows }) => {
    // A second row of a link would fail.
    const firsts = new Map(rows.toReversed().map((row) => [linkAt(world, row.link), row]))
    const wanted = Array.from(firsts.values(), ({ fields, ...by }) => ({
      ...addressOf(world, by),
      fields: present(world, fields),
    }))
    const changes = wanted.map(({ token, fields }) => ({ token, ...fields }))
    const response = await post(`${world.server.url}/api/manage`, { changes })
    const { results } = withoutWarnings((await response.json()) as { results: { error?: { code: string } }[] })
    assert.equal(response.status, wanted.some(({ works }) => works) ? 200 : 400)
    for (const [index, { one, works, refusal, fields }] of wanted.entries()) {
      const { error, ...result } = results[index] ?? {}
      assert.equal(error?.code, works ? undefined : codeOf(refusal))
      if (!works) continue
      const [before, after] = [fieldsOf(one), { ...fieldsOf(one), ...fields }]
      const changed = !isDeepStrictEqual(before, after)
      if (changed) noteRevision(world, one, after)
      const { code } = one.link
      const short_url = `${world.server.url}/${code}`
      assert.deepEqual(result, { index, code, short_url, etag: `"${numberOf(one)}"`, changed })
    }
  }),
]

/** Fields whose rules are for the present time. */
function present(world: World, fields: Partial<Fields>): Partial<Fields> {
  const { rules } = fields
  return { ...fields, ...(rules && { rules: rules.map((each) => around(each, world.now)) }) }
}
