import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Allowed } from '../build/patterns/allowed.ts'
import { checkPatterns } from '../build/patterns/check.ts'

// As `npm run check` runs it; the programs that npm installs beside it on some platforms are not asked.
before(() => {
  process.env['RECHECK_BACKEND'] = 'pure'
})

const modules: Record<string, string> = {
  '/src/words.ts': `export const digits = '(?:[0-9]{3}|[0-9]{6})'\nexport const blanks = '\\\\s+'`,
}
const read = (path: string) => modules[path] ?? ''
const check = (code: string, allowed: Allowed[] = []) => checkPatterns([{ file: 'src/a.ts', code }], allowed, read)

/** What held drawing threads for seconds, and what looks like it in forms. */
const mended = {
  'a reference that is read': `const [, id = ''] = /^url\\(\\s*["']?#([^"'()]+?)["']?\\s*\\)(.*)$/is.exec(value) ?? []`,
  'a paint that is understood': `
    const color = '(?:#(?:[\\\\da-f]{3,4}|[\\\\da-f]{6}|[\\\\da-f]{8})|[a-z]+)'
    const reference = 'url\\\\(\\\\s*["\\']?#[^"\\'()\\\\\\\\]+["\\']?\\\\s*\\\\)'
    const values = { fill: new RegExp(\`^(?:\${color}|\${reference}(?:\\\\s+\${color})?)$\`, 'i') }`,
  'a clip path that is understood': `
    const reference = 'url\\\\(\\\\s*["\\']?#[^"\\'()\\\\\\\\]+["\\']?\\\\s*\\\\)'
    const clip = new RegExp(\`^(?:none|\${reference})$\`, 'i')`,
  'the steps of a transform': `text.replace(/([a-z]+)\\s*\\(([^()]*)\\)[\\s,]*/gi, step)`,
}

describe('the check of regular expressions', () => {
  for (const [what, code] of Object.entries(mended)) {
    test(`finds ${what} when it is put back as it was`, () => {
      const [fault, ...more] = check(code)
      assert.match(fault ?? '', /^src\/a\.ts:\d+: .* takes 2nd degree polynomial time, for example on/)
      assert.deepEqual(more, [])
    })
  }

  const faulty: [what: string, code: string][] = [
    ['blanks that are searched for from every place', 'const a: string = b.replace(/\\s+$/, "")'],
    ['what a method of strings makes of a text', 'b.match("x*y$")'],
    ['the parts of a constant', 'const a = "x"\nexport const c = RegExp(a + "*" + `${a}+y`)'],
    ['what another module has', `import { blanks as each } from './words.ts'\nnew RegExp(\`\${each}$\`)`],
    ['the pattern of a schema', 'Type.String({ pattern: "^(a|a)*$" })'],
    ['a pattern behind a look-ahead', 'const a = /^(?=x)[^]*y*z$/'],
    ['a pattern in a look-ahead', 'const a = /^(?=(?:[ab]|b)*c)b/'],
    ['a look-ahead at every place', 'const a = /(?=[^]*x)y/'],
    ['what it cannot prove', 'const a = /(?<=without )[a-z, ]+(?= it$)/'],
    ['a pattern that is not constant', 'new RegExp(asked)'],
  ]
  for (const [what, code] of faulty) test(`finds ${what}`, () => assert.equal(check(code).length, 1))

  const plain: [what: string, code: string][] = [
    ['what is tried at one place only', 'const a = /\\s+$/y\nconst b = /^x+$/'],
    ['a schema of constants', `import { digits } from './words.ts'\nType.String({ pattern: \`^#?\${digits}$\` })`],
    ['what only has the name', 'const { pattern } = rule\nconst c = { pattern: /x/ }\nb.match(c)'],
  ]
  for (const [what, code] of plain) test(`lets pass ${what}`, () => assert.deepEqual(check(code), []))

  test('lets pass what the list allows, and finds what it no longer has to allow', () => {
    const entry = { file: 'src/a.ts', source: '\\s+$', reason: 'of a hundred characters' }
    assert.deepEqual(check('b.replace(/\\s+$/, "")', [entry]), [])
    for (const code of ['b.replace(/^\\s+$/, "")', 'b.replace(/^\\s+/, "")', '']) {
      assert.deepEqual(check(code, [entry]), [
        'src/a.ts: the exception for /\\s+$/ is not needed: remove it from the list',
      ])
    }
  })
})
