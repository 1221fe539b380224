import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { eyeShapes } from '../../qr/design/eyes.ts'
import type { Design } from '../../qr/design/schema.ts'
import { moduleShapes } from '../../qr/design/shapes.ts'
import { designOfValues, valuesOfDesign } from './values.ts'
import { designFaultTexts } from '../../texts/design-faults.ts'
import { designSchema } from '../../qr/design/schema.ts'
import { languages } from '../../texts/language.ts'
import { faultsOf } from './messages.ts'

const digits = (lengths: number[]) =>
  fc
    .tuple(fc.constantFrom('#', ''), fc.constantFrom(...lengths), fc.stringMatching(/^[\da-fA-F]{8}$/))
    .map(([mark, length, all]) => mark + all.slice(0, length))
const opaque = digits([3, 6])
const color = digits([3, 6, 8])
const some = (record: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(record, { requiredKeys, noNullPrototype: true })

/** Any design that the API accepts. */
const anyDesign = some({
  shape: fc.constantFrom(...moduleShapes),
  eye_frame: fc.constantFrom(...eyeShapes),
  eye_ball: fc.constantFrom(...eyeShapes),
  fg: color,
  bg: fc.oneof(color, fc.constant('transparent')),
  eye_frame_color: opaque,
  eye_ball_color: opaque,
  gradient: some(
    { type: fc.constantFrom('linear', 'radial'), from: opaque, to: opaque, angle: fc.integer({ min: 0, max: 359 }) },
    ['type', 'from', 'to'],
  ),
  logo: some(
    {
      image: fc.constant('data:image/png;base64,AAAA'),
      size: fc.double({ min: 0.05, max: 0.4, noNaN: true }),
      knockout: fc.boolean(),
    },
    ['image'],
  ),
  frame: some(
    {
      text: fc.string({ minLength: 1, maxLength: 40 }),
      position: fc.constantFrom('top', 'bottom'),
      shape: fc.constantFrom('rounded', 'square'),
      color: opaque,
      text_color: opaque,
    },
    ['text'],
  ),
  margin: fc.integer({ min: 0, max: 16 }),
  ecl: fc.constantFrom('L', 'M', 'Q', 'H'),
}) as fc.Arbitrary<Design>

test('a form that is sent unchanged leaves any design as it is', () => {
  fc.assert(
    fc.property(anyDesign, (design) => {
      assert.deepEqual(designOfValues(valuesOfDesign(design), design), design)
    }),
    { numRuns: 1000 },
  )
})

test('a form that is sent unchanged without a design creates none', () => {
  assert.deepEqual(designOfValues(valuesOfDesign(undefined), undefined), {})
})

test('changing one input changes one field', () => {
  fc.assert(
    fc.property(anyDesign, (design) => {
      const values = { ...valuesOfDesign(design), margin: '13' }
      assert.deepEqual(designOfValues(values, design), { ...design, margin: 13 })
    }),
  )
})

test('text that is no number becomes NaN, and an empty input does not become 0', () => {
  for (const margin of ['', ' ', 'x', '4 mm']) {
    assert.deepEqual(designOfValues({ ...valuesOfDesign(undefined), margin }).margin, NaN, margin)
  }
})

test('the logo is the new one, else the unsaved one, else the saved one, unless it is removed', () => {
  const saved = { logo: { image: 'saved', size: 0.1 } }
  const shown = valuesOfDesign(saved)
  const imageOf = (values: object) => designOfValues({ ...shown, ...values }, saved).logo?.image
  assert.equal(imageOf({}), 'saved')
  assert.equal(imageOf({ logo_image: 'unsaved' }), 'unsaved')
  assert.equal(imageOf({ logo_image: 'unsaved', logo: 'new' }), 'new')
  assert.equal(imageOf({ logo_remove: 'yes' }), undefined)
  assert.equal(imageOf({ logo_remove: 'yes', logo_image: 'unsaved' }), undefined)
  assert.equal(imageOf({ logo_remove: 'yes', logo: 'new' }), 'new')
})

test('errors of the API become sentences at their inputs', () => {
  const faultOf = (pointer: string, detail: string) => {
    const [fault] = faultsOf([{ pointer, detail }], designFaultTexts.en)
    return [fault?.field, fault?.text]
  }
  assert.deepEqual(faultOf('/design/fg', 'has a contrast of 1.00:1 to bg, no scanner'), [
    'fg',
    'The colour has a contrast of 1.00:1 to the background, no scanner.',
  ])
  assert.deepEqual(faultOf('/design/logo/image', 'is a PNG that is cut off'), [
    'logo',
    'The logo is a PNG that is cut off.',
  ])
  assert.deepEqual(faultOf('/design/logo/size', 'must be at most 0.4'), [
    'logo_size',
    'The size of the logo must be at most 40%.',
  ])
  assert.deepEqual(faultOf('/design/frame/text', 'must not be empty'), ['frame_text', 'The text must not be empty.'])
  assert.deepEqual(faultOf('/design/frame', 'must be changed: without frame the image can be read'), [
    'frame_text',
    'The code cannot be scanned like this. It works without: the frame.',
  ])
  assert.deepEqual(faultOf('/design/fg', 'must be changed: without fg, bg the image can be read'), [
    'fg',
    'The code cannot be scanned like this. It works without: the colour and the background.',
  ])
  assert.deepEqual(faultOf('/design', 'cannot be read'), ['', 'The design cannot be read.'])
  assert.deepEqual(faultOf('/constructor', 'is odd'), ['', 'The design is odd.'])
  assert.deepEqual(faultOf('/design/constructor', 'is odd'), ['', 'The design is odd.'])
})

/** The pointers of the fields of a schema, nested ones included. */
function pointersOf(schema: object, at: string): string[] {
  const { properties = {} } = schema as { properties?: Record<string, object> }
  return [at, ...Object.entries(properties).flatMap(([name, each]) => pointersOf(each, `${at}/${name}`))]
}

test('every field of a design has fault texts in every language, and those of German pages have no English in them', () => {
  const pointers = pointersOf(designSchema, '/design')
  assert.ok(pointers.length > 20)
  for (const pointer of pointers) {
    const texts = languages.map((language) => {
      const [fault] = faultsOf([{ pointer, detail: 'is odd' }], designFaultTexts[language])
      assert.ok(fault !== undefined && (pointer === '/design' || fault.field !== ''), pointer)
      return fault.text
    })
    assert.match(texts[0] ?? '', /^[A-Z].* is odd\.$/)
    assert.match(texts[1] ?? '', /^[A-Z].*\.$/)
    assert.doesNotMatch(texts[1] ?? '', /is odd/)
  }
  const unreadable = { pointer: '/design/fg', detail: 'must be changed: without fg, logo the image can be read' }
  assert.deepEqual(faultsOf([unreadable], designFaultTexts.de), [
    {
      field: 'fg',
      text: 'So ist der Code nicht lesbar. Ohne Folgendes geht es: die Farbe und das Logo.',
    },
  ])
})
