import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { canonicalise } from './canonical.ts'
import { expressions, pathPrefixes, safeBrowsingLimits, wideLimits } from './expressions.ts'

test('the expressions are those of the Safe Browsing document', () => {
  const of = (url: string) => expressions(canonicalise(url), safeBrowsingLimits).sort()
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

const expressionsOf = (url: string) => expressions(canonicalise(url), wideLimits)

test('the expressions of subdomains include a listed host, those of siblings do not', () => {
  fc.assert(
    fc.property(host, label, label, folders, (listed, sub, sibling, path) => {
      const rest = path.join('/')
      assert.ok(expressionsOf(`https://${listed}/${rest}?q`).includes(`${listed}/`))
      assert.ok(expressionsOf(`https://${sub}.${listed}/${rest}`).includes(`${listed}/`))
      assert.ok(expressionsOf(`https://${sub}.${sub}.${listed}:8443/${rest}`).includes(`${listed}/`))
      const [first = '', ...parents] = listed.split('.')
      fc.pre(sibling !== first)
      assert.ok(!expressionsOf(`https://${[sibling, ...parents].join('.')}/${rest}`).includes(`${listed}/`))
      assert.ok(!expressionsOf(`https://${parents.join('.')}/${rest}`).includes(`${listed}/`))
      assert.ok(!expressionsOf(`https://${sibling}${listed}/${rest}`).includes(`${listed}/`))
    }),
  )
})

test('only the expressions of URLs in a listed folder include it', () => {
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
        assert.ok(expressionsOf(`https://${name}${folder}`).includes(listed))
        assert.ok(expressionsOf(`https://${name}${folder}${below.join('/')}?q=1#f`).includes(listed))
        assert.ok(expressionsOf(`https://www.${name}${folder}${below.join('/')}`).includes(listed))
        const above = `/${path.map((each) => `${each}/`).join('')}`
        assert.ok(
          expressionsOf(`https://${name}${above}${last}`).includes(listed),
          'servers lead from there into the folder',
        )
        for (const elsewhere of [above, `${above}${last}x`, `${above}${last}x/`, `${above}${other}/${last}/`]) {
          fc.pre(!elsewhere.startsWith(folder))
          assert.ok(!expressionsOf(`https://${name}${elsewhere}`).includes(listed), elsewhere)
        }
      },
    ),
  )
})

test('the expressions of a file with any query include the file; only those with its query include a listed query', () => {
  const found = expressionsOf('https://bad.example/a.exe?id=1')
  assert.ok(found.includes('bad.example/a.exe') && found.includes('bad.example/a.exe?id=1'))
  assert.ok(!expressionsOf('https://bad.example/a.exe?id=2').includes('bad.example/a.exe?id=1'))
  assert.ok(!expressionsOf('https://bad.example/a.exe').includes('bad.example/a.exe?id=1'))
  assert.ok(!expressionsOf('https://bad.example/a.exe.txt').includes('bad.example/a.exe'))
})

test('the expressions include variants of a path that servers usually treat alike, and the file that a path uses as a folder', () => {
  const listed = (entry: string, path: string) =>
    expressionsOf(`https://bad.example${path}`).includes(`bad.example${entry}`)
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

test('the most specific path is first, also with parameters', () => {
  const of = (path: string) => pathPrefixes(canonicalise(`https://bad.example${path}`), wideLimits)
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
