import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf } from './subject.ts'

const owns = (url: URL) => url.hostname === 'qr.example.com'

test('the code of each address that a link has is recognized, and of no other path or host', () => {
  for (const text of ['Menu', 'qr.example.com/Menu', 'https://qr.example.com/Menu/'])
    assert.equal(codeOf(text, owns), 'Menu')
  for (const end of ['', '+', '.q', '.Q', '.vcf', '/qr.png', '/qr.svg', '/qr.pdf', '/print.pdf', '?qr=1', '#x'])
    assert.equal(codeOf(`https://qr.example.com/Menu${end}`, owns), 'Menu', end)
  for (const end of ['.exe', '.VCF', '/qr.gif', '/other', '++'])
    assert.equal(codeOf(`https://qr.example.com/Menu${end}`, owns), undefined, end)
  assert.equal(codeOf('https://other.example/Menu', owns), undefined)
})
