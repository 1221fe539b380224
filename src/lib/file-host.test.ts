import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileHost } from './file-host.ts'

test('a host that is the name of a file is found, and no other', () => {
  for (const address of ['https://meine-speisekarte.pdf', 'https://MENU.JPG/', 'https://a.b.docx/x?y'])
    assert.equal(fileHost(address), new URL(address).hostname)
  for (const address of [
    'https://example.com/menu.pdf',
    'https://pdf.example.com/',
    'https://example.zip/',
    'menu.pdf',
  ])
    assert.equal(fileHost(address), undefined, address)
})
