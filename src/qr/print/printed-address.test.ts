import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readFont } from '../design/font.ts'
import { fontFile } from '../font-file.ts'
import { fontNames, openPrintFonts } from './fonts.ts'
import { printedAddress } from './printed-address.ts'

const fontOf = await openPrintFonts()

test('a host with umlauts is printed as its owner writes it', () => {
  assert.equal(printedAddress('https://xn--mnchen-bckerei-dib09a.de', 'Menu'), 'münchen-bäckerei.de/Menu')
  assert.equal(printedAddress('https://xn--e1afmkfd.xn--p1ai', 'Menu'), 'пример.рф/Menu')
})

test('other hosts, and ports, are printed as they are', () => {
  for (const host of ['go.bakery.shop', 'localhost:3000', '[::1]:3000', '192.0.2.1', 'xn--a'])
    assert.equal(printedAddress(`http://${host}`, 'a-_Z'), `${host}/a-_Z`)
})

test('a host whose letters no font has is printed in letters that all have', () => {
  const host = 'xn--fsqu00a.xn--0zwm56d'
  assert.equal(printedAddress(`https://${host}`, 'Menu'), `${host}/Menu`)
})

test('every font can set each letter of a host that is not printed as xn--', () => {
  const letters = Array.from({ length: 0xffff - 0xdf }, (_, at) => String.fromCodePoint(0xdf + at)).filter((letter) => {
    const url = URL.parse(`https://a${letter}b.de`)
    return url !== null && !printedAddress(url.origin, '').includes('xn--')
  })
  const written = letters.map((letter) => printedAddress(new URL(`https://a${letter}b.de`).origin, '')).join('')
  assert.ok(letters.length > 150, `only ${letters.length} letters`)
  for (const name of fontNames) assert.deepEqual(fontOf(name).missing(written), [], name)
  assert.deepEqual(readFont(readFileSync(fontFile, 'utf8')).missing(written), [], 'the font of pictures')
})
