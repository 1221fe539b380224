import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, Problem, problemBody, REASON, reasonNames } from '../http/problem.ts'
import type { FieldError, ProblemCode } from '../http/problem.ts'
import { html } from '../http/html.ts'
import { parseDraft } from '../links/draft.ts'
import { kinds } from '../links/kinds/index.ts'
import { rulesSchema } from '../links/rules/rule.ts'
import { fieldTexts } from '../texts/fields.ts'
import { languages } from '../texts/language.ts'
import { ruleEditorTexts } from '../texts/rule-editor.ts'
import { faultText, refusalText } from './faults.ts'
import { renderFields, utmFields } from './form.ts'

const policy = { owns: (url: URL) => url.hostname === 'qr.example.com', screen: () => undefined, now: () => 0 }

/** The errors of a creation. */
function errorsOf(body: object): FieldError[] {
  try {
    parseDraft(body, policy)
  } catch (error) {
    if (error instanceof Problem) return error.errors
    throw error
  }
  return []
}

const long = 'x'.repeat(2_100)
const faulty: object[] = [
  {},
  ...[
    'ftp://example.com/',
    'https://a b.example.com/',
    'https://me@example.com/',
    'https://?',
    'https://x/',
    'https://10.0.0.1/',
    'https://printer.local/',
    'https://qr.example.com/x',
    `https://example.com/${long}`,
  ].map((target) => ({ target })),
  { target: 'https://example.com/', alias: 'a b', title: long, campaign: '\0', utm: { utm_source: long } },
  { kind: 'appstore' },
  { kind: 'vcard', phone: long, email: '\0', website: 'x' },
  { kind: 'vcard' },
  { kind: 'event', start: 'soon', end: '2027-06-12', timezone: 'Moon/Crater', url: 'x', location: long },
  { kind: 'event', summary: 'x', start: '2027-02-30', end: '2027-06-12T14:00Z' },
  { kind: 'event', summary: 'x', start: '2027-06-12', end: '2027-06-12T14:00Z', timezone: 'Moon/Crater' },
  { kind: 'event', summary: 'x', start: '2027-06-12', end: '2027-06-11' },
  { kind: 'page', links: [{ label: long, url: 'https://x/' }, {}] },
  { kind: 'page', headline: ' ', links: Array.from({ length: 101 }, () => ({ label: 'x', url: 'https://x/' })) },
]

test('every fault that a form can have is said in people’s words in both languages, and never in those of the API', () => {
  for (const body of faulty) {
    const errors = errorsOf(body)
    assert.ok(errors.length > 0, JSON.stringify(body).slice(0, 80))
    for (const error of errors) {
      const [english, german] = languages.map((language) => faultText(error, language))
      assert.ok(english && german && english !== german, error.pointer)
      assert.ok(!english.includes(error.detail), `${error.pointer}: ${english}`)
      assert.match(english, /^[A-Z].*[.]$/)
    }
  }
})

test('an error without a reason is shown as it is, and every reason has a text', () => {
  assert.equal(faultText({ pointer: '/x', detail: 'is odd' }, 'en'), 'Please check this field: it is odd.')
  for (const name of reasonNames) assert.ok(fieldTexts.de.faults[name], name)
})

test('the API sends no reasons', () => {
  const errors = errorsOf({})
  assert.ok(errors[0]?.[REASON])
  const body = JSON.parse(problemBody(new Problem('invalid_request', 'x', { errors }), '1')) as { errors: object[] }
  assert.deepEqual(body.errors, [{ pointer: '/target', detail: 'is required' }])
})

test('an invalid input is described by its hint and its fault, and only the first one gets the focus', () => {
  const errors = [
    { pointer: '/title', detail: 'x' },
    { pointer: '/campaign', detail: 'x' },
  ]
  const fields = ['alias', 'title', 'campaign'].map((name) => ({ name, input: 'text' as const }))
  const { markup } = html`${renderFields(fields, {}, errors)}`
  const inputs = markup.match(/<input[^>]*>/g) ?? []
  assert.match(inputs[0] ?? '', /aria-describedby="field-alias-hint"/)
  assert.match(inputs[1] ?? '', /aria-describedby="field-title-hint field-title-fault".*aria-invalid="true".*autofocus/)
  assert.match(inputs[2] ?? '', /aria-invalid="true"/)
  assert.equal(markup.match(/autofocus/g)?.length, 1)
  for (const [, ids = ''] of markup.matchAll(/aria-describedby="([^"]*)"/g)) {
    for (const id of ids.split(' ')) assert.equal(markup.split(`id="${id}"`).length, 2, id)
  }
})

test('a fault of a UTM parameter stands at its input, and that of another is named', () => {
  const errors = [
    { pointer: '/utm/utm_source', detail: 'x' },
    { pointer: '/utm/utm_term', detail: 'x' },
  ]
  const { markup } = html`${utmFields({}, errors, { language: 'de' })}`
  assert.match(markup, /id="field-utm_source-fault"/)
  assert.match(markup, /<code>utm_term<\/code>: Bitte/)
})

test('every field of every kind has a label in both languages', () => {
  for (const language of languages)
    for (const kind of kinds)
      for (const { name } of kind.form)
        assert.ok(Object.hasOwn({ ...fieldTexts[language].labels, ...kind.texts[language].labels }, name), name)
})

/** What the schema of a field demands, nested ones included: the keywords that can be violated. */
function keywordsOf(schema: object): string[] {
  const annotations = new Set(['description', 'examples', 'title', 'type', 'x-rule', 'default', 'format'])
  return Object.entries(schema).flatMap(([name, value]: [string, unknown]) => {
    if (annotations.has(name)) return []
    if (name === 'properties') return Object.values(value as object).flatMap(keywordsOf)
    return name === 'items' ? keywordsOf(value as object) : [name === 'minLength' ? `${name} ${String(value)}` : name]
  })
}

test('whatever the schema of a field in a form demands has a reason, and so a text in each language', () => {
  const explained = new Set(['required', 'minLength 1', 'maxLength', 'maxItems', 'pattern', 'additionalProperties'])
  for (const { name, form, fields } of kinds) {
    const schemas = fields.properties as Record<string, object>
    for (const field of form) {
      const unexplained = keywordsOf(schemas[field.name] ?? {}).filter((keyword) => !explained.has(keyword))
      assert.deepEqual(unexplained, [], `${name}: ${field.name}`)
    }
  }
})

test('every condition of a rule has a fault text', () => {
  const [first] = [rulesSchema.items.properties.when.properties]
  assert.deepEqual(Object.keys(ruleEditorTexts.de.faults).sort(), Object.keys(first).sort())
})

test('why a form was refused is said in the language of the page, for every problem', () => {
  for (const code of Object.keys(catalogue) as ProblemCode[]) {
    const problem = new Problem(code, 'some detail of the API')
    const [english, german] = languages.map((language) => refusalText(problem, language))
    assert.ok(english && german && english !== german, code)
    assert.doesNotMatch(german, /some detail/)
    assert.ok(!german.includes(problem.title), code)
  }
})
