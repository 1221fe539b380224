import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { canonicalise, canonicaliseBytes, expressionOf } from './canonical.ts'

/** The document's examples, whose scheme we leave out: it plays no part in an expression. */
const vectors: [url: string, canonical: string][] = [
  ['http://host/%25%32%35', 'host/%25'],
  ['http://host/%25%32%35%25%32%35', 'host/%25%25'],
  ['http://host/%2525252525252525', 'host/%25'],
  ['http://host/asdf%25%32%35asd', 'host/asdf%25asd'],
  ['http://host/%%%25%32%35asd%%', 'host/%25%25%25asd%25%25'],
  ['http://www.google.com/', 'www.google.com/'],
  [
    'http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E%73%65%63%75%72%65/%77%77%77%2E%65%62%61%79%2E%63%6F%6D/',
    '168.188.99.26/.secure/www.ebay.com/',
  ],
  [
    'http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/',
    '195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/',
  ],
  [
    'http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B',
    'host%23.com/~a!b@c%23d$e%25f^00&11*22(33)44_55+',
  ],
  ['http://3279880203/blah', '195.127.0.11/blah'],
  ['http://www.google.com/blah/..', 'www.google.com/'],
  ['www.google.com/', 'www.google.com/'],
  ['www.google.com', 'www.google.com/'],
  ['http://www.evil.com/blah#frag', 'www.evil.com/blah'],
  ['http://www.GOOgle.com/', 'www.google.com/'],
  ['http://www.google.com.../', 'www.google.com/'],
  ['http://www.google.com/foo\tbar\rbaz\n2', 'www.google.com/foobarbaz2'],
  ['http://www.google.com/q?', 'www.google.com/q?'],
  ['http://www.google.com/q?r?', 'www.google.com/q?r?'],
  ['http://www.google.com/q?r?s', 'www.google.com/q?r?s'],
  ['http://evil.com/foo#bar#baz', 'evil.com/foo'],
  ['http://evil.com/foo;', 'evil.com/foo;'],
  ['http://evil.com/foo?bar;', 'evil.com/foo?bar;'],
  ['http://\u0001\u0080.com/', '%01%80.com/'],
  ['http://notrailingslash.com', 'notrailingslash.com/'],
  ['http://www.gotaport.com:1234/', 'www.gotaport.com/'],
  ['  http://www.google.com/  ', 'www.google.com/'],
  ['http:// leadingspace.com/', '%20leadingspace.com/'],
  ['http://%20leadingspace.com/', '%20leadingspace.com/'],
  ['%20leadingspace.com/', '%20leadingspace.com/'],
  ['https://www.securesite.com/', 'www.securesite.com/'],
  ['http://host.com/ab%23cd', 'host.com/ab%23cd'],
  ['http://host.com//twoslashes?more//slashes', 'host.com/twoslashes?more//slashes'],
]

describe('the canonical form is that of the Safe Browsing document', () => {
  for (const [url, canonical] of vectors) {
    test(JSON.stringify(url), () => {
      assert.equal(expressionOf(canonicaliseBytes(url)), canonical)
      // As a text, in which U+0080 is two bytes of UTF-8.
      if (!url.includes('\u0080')) assert.equal(expressionOf(canonicalise(url)), canonical)
    })
  }
})

test('every spelling that a browser takes to one place has one canonical form', () => {
  const spellings: [canonical: string, ...urls: string[]][] = [
    ['bad.example/x', 'HTTPS://BAD.example:8443/./y/../x#z', 'https://bad.example./x', 'https://bad%2Eexample/%78'],
    ['bad.example/x', 'https://user:secret@bad.example/x', 'https://ｂａｄ.example/x', 'https://bad.example\\x'],
    ['xn--bcher-kva.example/%C3%BC', 'https://bücher.example/ü', 'https://xn--bcher-kva.example/%c3%bc'],
    ['127.0.0.1/', 'http://0x7f.1/', 'http://2130706433', 'http://0177.0.0.01/', 'http://127.1'],
    ['[2001:db8::1]/', 'http://[2001:DB8:0:0::1]:80/'],
    ['bad.example/a/', 'http://bad.example/a/./', 'http://bad.example//a//', 'http://bad.example/a/b/..'],
    ['bad.example/..a', 'http://bad.example/../..a'],
    ['bad.example/?a/../b//c', 'http://bad.example?a/../b//c'],
  ]
  for (const [canonical, ...urls] of spellings) {
    for (const url of urls) assert.equal(expressionOf(canonicalise(url)), canonical, url)
  }
})

test('the canonical form of a canonical form is itself, and a chain of escapes costs no more than its length', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
      const once = expressionOf(canonicalise(url))
      assert.equal(expressionOf(canonicalise(once)), once)
    }),
  )
  assert.equal(expressionOf(canonicalise(`http://host/%${'25'.repeat(100_000)}`)), 'host/%25')
})
