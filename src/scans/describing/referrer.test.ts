import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../test/support/fast-check.ts'
import { createReferrerParser } from './referrer.ts'

const read = createReferrerParser((host) => host === 'qr.example.org')
const reads = (cases: Record<string, string>) => {
  for (const [referer, expected] of Object.entries(cases)) assert.equal(read(referer), expected, referer)
}

test('a referrer is its host, without path, query, port and case', () => {
  reads({
    'https://example.com/a/secret?token=1#x': 'example.com',
    'http://example.com': 'example.com',
    'https://Shop.EXAMPLE.com:8443/': 'shop.example.com',
    'HTTPS://example.com?q': 'example.com',
    'https://example.com./': 'example.com',
    'https://xn--bcher-kva.example/': 'xn--bcher-kva.example',
    'https://a_b.example.com/': 'a_b.example.com',
    'http://intranet/': 'intranet',
  })
})

test('the prefix of an edition is removed, never a part of the registrable domain', () => {
  reads({
    'https://www.example.com/': 'example.com',
    'https://m.example.com/': 'example.com',
    'https://l.facebook.com/l.php?u=https%3A%2F%2Fexample.com': 'facebook.com',
    'https://lm.facebook.com/': 'facebook.com',
    'https://l.instagram.com/': 'instagram.com',
    'https://www.m.example.co.uk/': 'example.co.uk',
    'https://www.www.www.example.com/': 'example.com',
    'https://mail.example.com/': 'mail.example.com',
    'https://wwwexample.com/': 'wwwexample.com',
    'https://m.me/someone': 'm.me',
    'https://l.com/': 'l.com',
    'https://www.com/': 'www.com',
    'https://www.gov.uk/': 'www.gov.uk',
    'https://m.blogspot.com/': 'm.blogspot.com',
    'https://www.me.github.io/': 'me.github.io',
    'http://m.localhost/': 'm.localhost',
  })
})

test('hosts that only redirect count as their site', () => {
  reads({
    'https://t.co/abc': 'x.com',
    'https://twitter.com/': 'x.com',
    'https://www.twitter.com/': 'x.com',
    'https://mobile.twitter.com/': 'x.com',
    'https://lnkd.in/abc': 'linkedin.com',
    'https://nott.co/': 'nott.co',
  })
})

test('an app counts as its site, or as its package when the site is unknown', () => {
  reads({
    'android-app://com.google.android.gm/': 'mail.google.com',
    'android-app://com.google.android.googlequicksearchbox/https/www.google.com': 'google.com',
    'android-app://com.twitter.android/': 'x.com',
    'android-app://org.telegram.messenger/': 'telegram.org',
    'ANDROID-APP://com.Slack': 'slack.com',
    'android-app://com.example.Some_App/': 'com.example.some_app',
    'android-app://one/': 'direct',
    'android-app://../': 'direct',
    'android-app://com.example-app/': 'direct',
    [`android-app://com.${'a'.repeat(100)}/`]: 'direct',
  })
})

test('no referrer, pages of the service, bare addresses and texts that no browser sends are direct', () => {
  assert.equal(read(undefined), 'direct')
  reads({
    '': 'direct',
    'https://qr.example.org/home': 'direct',
    'http://QR.example.org:3000/': 'direct',
    'https://192.0.2.7/': 'direct',
    'https://8.8.8.8:443/': 'direct',
    'http://0x7f.1/': 'direct',
    'http://2130706433/': 'direct',
    'https://[2001:db8::1]/': 'direct',
    'https://[/': 'direct',
    'example.com': 'direct',
    '//example.com/': 'direct',
    'https:example.com': 'direct',
    'https:///example.com': 'direct',
    'ftp://example.com/': 'direct',
    'javascript://example.com/': 'direct',
    'about:blank': 'direct',
    null: 'direct',
    ' https://example.com/': 'direct',
    'https://user:secret@example.com/': 'direct',
    'https://example.com\\@other.example/': 'direct',
    'https://%65xample.com/': 'direct',
    'https://bücher.example/': 'direct',
    'https://exa\tmple.com/': 'direct',
    'https://a..b/': 'direct',
    'https://.com/': 'direct',
    'https://example.com:99999/': 'direct',
    [`https://${'a'.repeat(64)}.com/`]: 'direct',
    [`https://${'a.'.repeat(125)}example/`]: 'direct',
  })
})

test('the hosts of the service may change while it runs', () => {
  const own = new Set<string>()
  const read = createReferrerParser((host) => own.has(host))
  assert.equal(read('https://go.example.com/'), 'go.example.com')
  own.add('go.example.com')
  assert.equal(read('https://go.example.com/'), 'direct')
})

test('whatever a client sends, the result is a short plain name', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'https://',
      'http://',
      'android-app://',
      'www.',
      'm.',
      'l.',
      '.',
      '/',
      ':',
      '[',
      ']',
      '@',
      '%',
      '__proto__',
    ),
    fc.string({ unit: anyCharacter, maxLength: 10 }),
    fc.domain(),
    fc.webUrl(),
  )
  const referer = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      fc.oneof(
        referer,
        referer.map((text) => `https://${text}`),
      ),
      (text) => {
        assert.match(read(text), /^[a-z0-9._-]{1,253}$/)
      },
    ),
    { numRuns: 2000 },
  )
  assert.equal(read(`https://example.com/${'x'.repeat(100_000)}`), 'example.com')
  assert.equal(read(`https://${'x'.repeat(100_000)}`), 'direct')
})
