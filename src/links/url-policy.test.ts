import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { urlFault } from './url-policy.ts'
import { owns, refused, accepted } from '../../test/support/url-policy.ts'

test('public http and https addresses are accepted as people write them', () => {
  for (const url of [
    'https://example.com',
    'http://example.com:8080/a/b?c=d&e#f',
    'HTTPS://EXAMPLE.COM/Path',
    'https://bücher.example/straße?q=ü#ä',
    'https://例え.jp/',
    'https://8.8.8.8/dns',
    'https://[2606:4700:4700::1111]/',
    'https://a_b.example.com/',
    'https://example.com/\'()*!~|^{}"<>?x=\\d',
    `https://example.com/${'a'.repeat(2028)}`,
  ]) {
    accepted(url)
  }
})

test('anything but an absolute http or https URL is rejected, also in the forms that browsers accept', () => {
  for (const url of [
    '',
    'example.com',
    '//example.com/',
    '/path',
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'http://',
    'http://?x',
    'http://#x',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com/',
    'file:///etc/passwd',
    'mailto:a@example.com',
    'http://example.com:99999/',
    'http://exa mple.com/',
    'http://[::1',
    'http://%zz.com/',
  ]) {
    refused(url)
  }
})

test('spaces, control characters and lone surrogates are rejected before parsing, in any position', () => {
  const bad = fc.constantFrom(
    ' ',
    '\t',
    '\n',
    '\r',
    '\0',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u2028',
    '\u3000',
    '\ud800',
    '\udfff',
  )
  const url = 'https://example.com/path?query#fragment'
  fc.assert(
    fc.property(bad, fc.nat({ max: url.length }), (char, at) =>
      refused(url.slice(0, at) + char + url.slice(at), /spaces, control/),
    ),
  )
})

test('credentials and backslashes are rejected, because parsers disagree about them', () => {
  for (const url of [
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://@example.com/',
    'https://example.com:@example.org/',
  ]) {
    refused(url, /user name/)
  }
  for (const url of [
    'https://example.com\\@10.0.0.1/',
    'https:\\\\example.com/',
    'https://example.com\\path',
    'https://example.com/a\\b',
  ]) {
    refused(url)
  }
})

test('URLs of more than 2,048 characters are rejected, and the error names the bound', () => {
  accepted(`https://example.com/${'a'.repeat(2048 - 20)}`)
  refused(`https://example.com/${'a'.repeat(2048 - 19)}`, /at most 2048/)
  accepted(`https://example.com/${'😀'.repeat(2048 - 20)}`)
  refused(`https://example.com/${'😀'.repeat(2048 - 19)}`, /at most 2048/)
})

test('an address that leads back to the service is rejected as a loop', () => {
  refused('https://qr.example.org/abc', /lead back/)
  refused('http://QR.EXAMPLE.ORG', /lead back/)
  accepted('https://qr.example.org.example.com/')
})

test('the policy never throws, and returns one sentence for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.webUrl(),
        fc.string().map((text) => `https://${text}`),
      ),
      (text) => {
        const fault = urlFault(text, owns)
        assert.ok(fault === undefined || /^(?:must|is|has) [^\n]{5,90}$/.test(fault), fault ?? '')
        if (fault === undefined) assert.ok(URL.canParse(text))
      },
    ),
    { numRuns: 2000 },
  )
})
