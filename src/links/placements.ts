import { Type, type Static } from '#typebox'
import { MAX_PLACEMENTS } from '../dimensions/placement.ts'
import { text } from '../http/fields.ts'
import type { FieldError } from '../http/problem.ts'
import { RULE } from '../http/validate.ts'

/** What a QR code has that hangs in no place of its own. */
const UNPLACED = '1'

const placementSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,32}$',
      [RULE]: 'must be 1 to 32 characters of A-Z, a-z, 0-9, "-" and "_"',
      description: 'What the code of this place contains, and statistics name. It is unique in any case; `1` is none.',
      examples: ['shop-window'],
    }),
    name: Type.Optional(text(80, 'For the owner; visitors never see it. A place, and not the name of a person.')),
  },
  { additionalProperties: false, title: 'Placement' },
)

/** The places in which the code of a link hangs, each with a code of its own. */
export const placementsSchema = Type.Array(placementSchema, {
  maxItems: MAX_PLACEMENTS,
  title: 'Placements',
  description:
    'The places in which the code hangs. `/<code>/qr.png?placement=<id>` is the code of one; the statistics count its scans apart.',
  examples: [[{ id: 'shop-window', name: 'Shop window' }]],
})

/** A place in which the code of a link hangs. */
export type Placement = Static<typeof placementSchema>

const MAX_ID = 32

/** An id for a place of this name that none of these places has: "Shop window" becomes `shop-window`. */
export function placementIdOf(name: string, taken: readonly Pick<Placement, 'id'>[]): string {
  const plain = name.normalize('NFKD').replaceAll('ß', 'ss').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
  const isFree = (id: string) => id !== UNPLACED && !taken.some((each) => each.id.toLowerCase() === id)
  const base = words === '' ? 'place' : words
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    const id = base.slice(0, MAX_ID - end.length) + end
    if (isFree(id)) return id
  }
}

/** What the schema cannot say: an id that is taken. */
export function placementErrors(placements: Placement[]): FieldError[] {
  const seen = new Map<string, number>()
  return placements.flatMap(({ id }, at) => {
    const pointer = `/placements/${at}/id`
    const earlier = seen.get(id.toLowerCase())
    seen.set(id.toLowerCase(), earlier ?? at)
    if (id === UNPLACED) return [{ pointer, detail: 'must not be 1, which is in the code without a placement' }]
    return earlier === undefined
      ? []
      : [{ pointer, detail: `is the id of /placements/${earlier}, too; case is ignored` }]
  })
}

/** The ids, as their owner wrote them, by these in lower case. */
export function idsOf(placements: Placement[]): ReadonlyMap<string, string> {
  return new Map(placements.map(({ id }) => [id.toLowerCase(), id]))
}
