import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Allowed } from '../build/patterns/allowed.ts'
import { checkPatterns } from '../build/patterns/check.ts'
import { faultOf } from '../build/patterns/judge.ts'

// The JavaScript build of the analyser, as in `npm run check`, instead of the binaries of some platforms.
before(() => {
  process.env['RECHECK_BACKEND'] = 'pure'
})

const modules: Record<string, string> = {
  '/src/constants.ts': `export const digits = '(?:[0-9]{3}|[0-9]{6})'\nexport const blanks = '\\\\s+'`,
}
const read = (path: string) => modules[path] ?? ''
const check = (code: string, allowed: Allowed[] = []) => checkPatterns([{ file: 'src/a.ts', code }], allowed, read)

/** Former patterns of the service, which blocked drawing threads for seconds. */
const former = {
  'a reference in a paint': `const [, id = ''] = /^url\\(\\s*["']?#([^"'()]+?)["']?\\s*\\)(.*)$/is.exec(value) ?? []`,
  'a supported paint': `
    const color = '(?:#(?:[\\\\da-f]{3,4}|[\\\\da-f]{6}|[\\\\da-f]{8})|[a-z]+)'
    const reference = 'url\\\\(\\\\s*["\\']?#[^"\\'()\\\\\\\\]+["\\']?\\\\s*\\\\)'
    const values = { fill: new RegExp(\`^(?:\${color}|\${reference}(?:\\\\s+\${color})?)$\`, 'i') }`,
  'a supported clip path': `
    const reference = 'url\\\\(\\\\s*["\\']?#[^"\\'()\\\\\\\\]+["\\']?\\\\s*\\\\)'
    const clip = new RegExp(\`^(?:none|\${reference})$\`, 'i')`,
  'the steps of a transform': `text.replace(/([a-z]+)\\s*\\(([^()]*)\\)[\\s,]*/gi, step)`,
}

describe('the check of regular expressions', () => {
  for (const [name, code] of Object.entries(former)) {
    test(`rejects the former pattern of ${name}`, () => {
      const [fault, ...more] = check(code)
      assert.match(fault ?? '', /^src\/a\.ts:\d+: .* takes 2nd degree polynomial time, for example on/)
      assert.deepEqual(more, [])
    })
  }

  const faulty: [name: string, code: string][] = [
    ['trailing blanks, tried at every position', 'const a: string = b.replace(/\\s+$/, "")'],
    ['a string that a method compiles', 'b.match("x*y$")'],
    ['a concatenation of constants', 'const a = "x"\nexport const c = RegExp(a + "*" + `${a}+y`)'],
    ['a constant of another module', `import { blanks as each } from './constants.ts'\nnew RegExp(\`\${each}$\`)`],
    ['the pattern of a schema', 'Type.String({ pattern: "^(a|a)*$" })'],
    ['a pattern behind a look-ahead', 'const a = /^(?=x)[^]*y*z$/'],
    ['a pattern in a look-ahead', 'const a = /^(?=(?:[ab]|b)*c)b/'],
    ['a look-ahead at every position', 'const a = /(?=[^]*x)y/'],
    ['a pattern that it cannot prove linear', 'const a = /(?<=without )[a-z, ]+(?= it$)/'],
    ['a pattern that is not constant', 'new RegExp(given)'],
  ]
  for (const [name, code] of faulty) test(`rejects ${name}`, () => assert.equal(check(code).length, 1))

  const linear: [name: string, code: string][] = [
    ['patterns tried at one position only', 'const a = /\\s+$/y\nconst b = /^x+$/'],
    ['a schema of constants', `import { digits } from './constants.ts'\nType.String({ pattern: \`^#?\${digits}$\` })`],
    ['variables that only share a name', 'const { pattern } = rule\nconst c = { pattern: /x/ }\nb.match(c)'],
  ]
  for (const [name, code] of linear) test(`accepts ${name}`, () => assert.deepEqual(check(code), []))

  test('accepts the exceptions on the list, and rejects those that are not needed', () => {
    const entry = { file: 'src/a.ts', source: '\\s+$', reason: 'of a hundred characters' }
    assert.deepEqual(check('b.replace(/\\s+$/, "")', [entry]), [])
    for (const code of ['b.replace(/^\\s+$/, "")', 'b.replace(/^\\s+/, "")', '']) {
      assert.deepEqual(check(code, [entry]), [
        'src/a.ts: the exception for /\\s+$/ is not needed: remove it from the list',
      ])
    }
  })

  test('calls a pattern undecided, not superlinear, when the analyser reaches its time-out', () => {
    assert.match(faultOf('^x+$', '', 0) ?? '', /^is undecided: the analyser has no result after 0 s\./)
    assert.equal(faultOf('^x+$', ''), undefined)
  })
})
