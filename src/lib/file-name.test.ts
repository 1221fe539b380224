import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUniqueNames, safeFileName } from './file-name.ts'

test('a name of a file leads to no other folder, and Windows, macOS and Linux take it', () => {
  const cases: [string, string][] = [
    ['Table 1', 'Table 1'],
    ['../../etc/passwd', 'etc passwd'],
    ['..\\..\\windows', 'windows'],
    ['C:\\boot.ini', 'C boot.ini'],
    ['CON', '_CON'],
    ['com1.tar', '_com1.tar'],
    ['LPT³', '_LPT³'],
    ['console', 'console'],
    ['.hidden', 'hidden'],
    ['ends with dots...', 'ends with dots'],
    ['a\u0000b\nc\td', 'a b c d'],
    ['\u202Egnp.exe', 'gnp.exe'],
    ['Café', 'Café'],
    ['🍕 Pizza', '🍕 Pizza'],
    ['half \uD83C', 'half'],
    ['???', ''],
    ['', ''],
  ]
  for (const [text, name] of cases) assert.equal(safeFileName(text), name, JSON.stringify(text))
})

test('a long name is cut between characters, at 120 bytes', () => {
  assert.equal(safeFileName('x'.repeat(200)), 'x'.repeat(120))
  assert.equal(safeFileName('ü'.repeat(200)), 'ü'.repeat(60))
  const family = '👨‍👩‍👧'
  const cut = safeFileName(`${'x'.repeat(115)}${family}`)
  assert.ok(Buffer.byteLength(cut) <= 120 && !cut.includes('\uFFFD'), cut)
})

test('names are unique where case and the form of letters are ignored', () => {
  const name = createUniqueNames()
  const taken = ['Table', 'table', 'TABLE', 'Ｔable'].map((each, at) => name(each, `${each} (${at})`))
  assert.equal(new Set(taken.map((each) => each.normalize('NFKC').toLowerCase())).size, 4)
  assert.equal(name('Table', 'table (1)'), 'table (1) 2')
})
