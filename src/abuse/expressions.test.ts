import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { canonicalise, canonicaliseBytes, expressionOf } from './canonical.ts'
import { expressions, pathPrefixes, safeBrowsingReach, wideReach } from './expressions.ts'

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

test('the expressions are those of the Safe Browsing document', () => {
  const of = (url: string) => expressions(canonicalise(url), safeBrowsingReach).sort()
  assert.deepEqual(
    of('http://a.b.com/1/2.html?param=1'),
    [
      'a.b.com/1/2.html?param=1',
      'a.b.com/1/2.html',
      'a.b.com/',
      'a.b.com/1/',
      'b.com/1/2.html?param=1',
      'b.com/1/2.html',
      'b.com/',
      'b.com/1/',
    ].sort(),
  )
  assert.deepEqual(
    of('http://a.b.c.d.e.f.com/1.html'),
    [
      'a.b.c.d.e.f.com/1.html',
      'a.b.c.d.e.f.com/',
      'c.d.e.f.com/1.html',
      'c.d.e.f.com/',
      'd.e.f.com/1.html',
      'd.e.f.com/',
      'e.f.com/1.html',
      'e.f.com/',
      'f.com/1.html',
      'f.com/',
    ].sort(),
  )
  assert.deepEqual(of('http://1.2.3.4/1/'), ['1.2.3.4/', '1.2.3.4/1/'])
  assert.deepEqual(
    of('http://b.com/1/2/3/4/5/6.html?x').filter((each) => each.endsWith('/')),
    ['b.com/', 'b.com/1/', 'b.com/1/2/', 'b.com/1/2/3/'],
  )
})

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/)
const host = fc.array(label, { minLength: 2, maxLength: 7 }).map((labels) => labels.join('.'))
const segment = fc.stringMatching(/^[a-z0-9]{1,6}$/)
const folders = fc.array(segment, { maxLength: 8 })

const asks = (url: string) => expressions(canonicalise(url), wideReach)

test('a listed host is asked for by its subdomains, and by no sibling', () => {
  fc.assert(
    fc.property(host, label, label, folders, (listed, sub, sibling, path) => {
      const rest = path.join('/')
      assert.ok(asks(`https://${listed}/${rest}?q`).includes(`${listed}/`))
      assert.ok(asks(`https://${sub}.${listed}/${rest}`).includes(`${listed}/`))
      assert.ok(asks(`https://${sub}.${sub}.${listed}:8443/${rest}`).includes(`${listed}/`))
      const [first = '', ...parents] = listed.split('.')
      fc.pre(sibling !== first)
      assert.ok(!asks(`https://${[sibling, ...parents].join('.')}/${rest}`).includes(`${listed}/`))
      assert.ok(!asks(`https://${parents.join('.')}/${rest}`).includes(`${listed}/`))
      assert.ok(!asks(`https://${sibling}${listed}/${rest}`).includes(`${listed}/`))
    }),
  )
})

test('a listed folder is asked for by what is in it alone', () => {
  fc.assert(
    fc.property(
      host,
      folders,
      segment,
      fc.array(segment, { maxLength: 2 }),
      segment,
      (name, path, last, below, other) => {
        fc.pre(other !== last && other !== `${last}x`)
        const folder = `/${[...path, last].join('/')}/`
        const listed = name + folder
        assert.ok(asks(`https://${name}${folder}`).includes(listed))
        assert.ok(asks(`https://${name}${folder}${below.join('/')}?q=1#f`).includes(listed))
        assert.ok(asks(`https://www.${name}${folder}${below.join('/')}`).includes(listed))
        const above = `/${path.map((each) => `${each}/`).join('')}`
        assert.ok(asks(`https://${name}${above}${last}`).includes(listed), 'servers lead from there into the folder')
        for (const elsewhere of [above, `${above}${last}x`, `${above}${last}x/`, `${above}${other}/${last}/`]) {
          fc.pre(!elsewhere.startsWith(folder))
          assert.ok(!asks(`https://${name}${elsewhere}`).includes(listed), elsewhere)
        }
      },
    ),
  )
})

test('a listed file is asked for with any query, a listed query with that one only', () => {
  const asked = asks('https://bad.example/a.exe?id=1')
  assert.ok(asked.includes('bad.example/a.exe') && asked.includes('bad.example/a.exe?id=1'))
  assert.ok(!asks('https://bad.example/a.exe?id=2').includes('bad.example/a.exe?id=1'))
  assert.ok(!asks('https://bad.example/a.exe').includes('bad.example/a.exe?id=1'))
  assert.ok(!asks('https://bad.example/a.exe.txt').includes('bad.example/a.exe'))
})

test('a listed path is asked for by the forms under which servers show the same, and a listed file from below it', () => {
  const listed = (entry: string, path: string) => asks(`https://bad.example${path}`).includes(`bad.example${entry}`)
  for (const [entry, ...paths] of [
    ['/path', '/path', '/path/', '/path;x', '/path;x/', '/path?q', '/path/?q', '/path;x?q', '/path;a=b;c', '/;x/path'],
    ['/a/b', '/a/b/', '/a;x/b', '/a;x/b;y/', '/a/;x/b'],
    ['/path/', '/path', '/path;x/', '/path;x/below', '/path/below;x'],
    ['/login.php', '/login.php/', '/login.php/x', '/login.php/x/y.css?z', '/login.php;jsessionid=1/x'],
    ['/path?q=1', '/path?q=1', '/path;x?q=1'],
    ['/path;x', '/path;x', '/path;x?q'],
  ] as const)
    for (const path of paths) assert.ok(listed(entry, path), `${path} for ${entry}`)
  for (const [entry, ...paths] of [
    // Others may live below what has the name of a folder: users of a site, say.
    ['/path', '/path/below', '/path;x/below', '/paths', '/pat', '/Path', '/a/path', '/', '/;path'],
    ['/login.php', '/login.php2/x', '/login.phpx', '/x/login.php/y'],
    ['/path;x', '/path', '/path;y', '/path/'],
    ['/path?q=1', '/path/?q=1', '/path'],
  ] as const)
    for (const path of paths) assert.ok(!listed(entry, path), `${path} for ${entry}`)
})

test('the most specific path is asked for first, also where parameters hide it', () => {
  const of = (path: string) => pathPrefixes(canonicalise(`https://bad.example${path}`), wideReach)
  assert.deepEqual(of('/a/b.php/c;x?q'), [
    '/a/b.php/c;x?q',
    '/a/b.php/c;x',
    '/a/b.php/c?q',
    '/a/b.php/c',
    '/a/b.php/c/',
    '/a/b.php',
    '/a/b.php/',
    '/a/',
    '/',
  ])
  assert.deepEqual(of('/a;x/b'), ['/a;x/b', '/a/b', '/a/b/', '/a;x/', '/a/', '/'])
  assert.deepEqual(of('/a/;x/b'), ['/a/;x/b', '/a/b', '/a/b/', '/a/;x/', '/a/', '/'])
  assert.deepEqual(of('/'), ['/'])
  assert.deepEqual(of('/;x'), ['/;x', '/'])
})
