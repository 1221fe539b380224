import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../test/support/fast-check.ts'
import { urlFault } from './url-policy.ts'
import { parse } from 'tldts'
import { reservedEndings } from '../lib/private-name.ts'

const specialRanges: [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
const owns = (url: URL) => url.hostname === 'qr.example.org'
const refused = (url: string, why?: RegExp) => {
  const fault = urlFault(url, owns)
  assert.ok(fault !== undefined, `${url} must be rejected`)
  if (why) assert.match(fault, why, url)
}
const accepted = (url: string) => assert.equal(urlFault(url, owns), undefined, url)
/** Every notation of an IPv4 address that WHATWG's URL parser accepts. */
function notations(address: number): string[] {
  const bytes = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const hex = (value: number) => `0x${value.toString(16)}`
  const octal = (value: number) => `0${value.toString(8)}`
  return [
    bytes.join('.'),
    `${bytes.join('.')}.`,
    String(address),
    hex(address),
    octal(address),
    `0X${address.toString(16).toUpperCase()}`,
    bytes.map(hex).join('.'),
    bytes.map(octal).join('.'),
    bytes.map((byte) => `000${byte.toString(8)}`).join('.'),
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    bytes.join('.').replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    bytes.join('。'),
    encodeURIComponent(bytes.join('.')).replace(/\d/g, (digit) => `%3${digit}`),
    ...[
      `::ffff:${bytes.join('.')}`,
      `::${bytes.join('.')}`,
      `64:ff9b::${bytes.join('.')}`,
      `::ffff:0:${bytes.join('.')}`,
    ].map((six) => `[${six}]`),
    `[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1]`,
  ]
}

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
        fc.string({ unit: anyCharacter }),
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

test('no special IPv4 address passes in any notation', () => {
  const special = fc.constantFrom(...specialRanges).chain(([network, prefix]) => {
    const first = network.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)
    return fc.integer({ min: first, max: first + 2 ** (32 - prefix) - 1 })
  })
  fc.assert(
    fc.property(special, (address) => {
      for (const host of notations(address)) refused(`http://${host}/`)
    }),
    { numRuns: 500 },
  )
})

test('a public IPv4 address passes as itself and not inside an IPv6 one', () => {
  const [plain = '', , decimal = '', ...others] = notations(0x08080808)
  accepted(`http://${plain}/`)
  accepted(`http://${decimal}/`)
  for (const host of others.filter((each) => each.startsWith('['))) refused(`http://${host}/`)
})

test('no IPv6 address outside global unicast passes, in any way of writing it', () => {
  for (const host of [
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::0001',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::ffff:7f00:1',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2001:0DB8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    '4000::1',
    '1::1',
  ]) {
    refused(`http://[${host}]/`, /public host|valid URL/)
  }
})

test('private and reserved names are rejected in any notation', () => {
  for (const ending of reservedEndings) {
    refused(`https://host.${ending}/`)
    refused(`https://HOST.${ending.toUpperCase()}/`)
    refused(`https://${ending}/`)
    refused(`https://host.${ending}./`)
    accepted(`https://${ending}.example.com/`)
  }
  for (const name of 'localhost.localdomain wiki.intranet nas.private api.default.svc db.service.consul x.docker'.split(
    ' ',
  ))
    refused(`https://${name}/`, /private network/)
  for (const host of [
    'intranet',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'ｌｏｃａｌｈｏｓｔ',
    'loc\u00adalhost',
    'local%68ost',
    'host.ｌocal',
    'host。local',
    'example..com',
    '.example.com',
    'example.com..',
    'com.',
    `${'a'.repeat(64)}.com.`,
    '.',
    `${'a'.repeat(64)}.com`,
    `${'abc.'.repeat(64)}com`,
  ]) {
    refused(`https://${host}/`)
  }
})

test('a trailing dot is the DNS root, and the name before it is checked', () => {
  for (const url of [
    'https://example.com./x',
    'HTTPS://EXAMPLE.COM.:8443/x?y#z',
    'https://bücher.example。/',
    `https://${'abc.'.repeat(62)}abcde./`,
  ]) {
    accepted(url)
  }
  refused(`https://${'abc.'.repeat(62)}abcdef./`, /too long/)
  refused('https://localhost./', /single-label/)
  refused('https://localhost.localdomain./', /private network/)
  refused('https://127.0.0.1./', /special address/)
})

test('no reserved ending is a top-level domain, except the two that host no pages', () => {
  const real = [...reservedEndings].filter((ending) => parse(`host.${ending}`).isIcann === true)
  assert.deepEqual(real.sort(), ['arpa', 'onion'])
})

test('the metadata addresses of clouds are rejected', () => {
  const azure = notations(0xa83f8110)
  for (const host of azure) refused(`http://${host}/metadata`, /public host/)
  for (const host of ['168.63.129.15', '168.63.129.17']) accepted(`http://${host}/`)
  for (const host of ['169.254.169.254', '100.100.100.200', '192.0.0.192', '[fd00:ec2::254]', '[fd20:ce::254]'])
    refused(`http://${host}/`, /special address/)
})

test('a host that no DNS has is refused before the parser brings its joiners and accents in order', (t) => {
  const parse = t.mock.method(URL, 'parse')
  const joined = `क्${'\u200d'.repeat(1900)}`
  const accented = `a${'\u0315'.repeat(900)}${'\u0338'.repeat(900)}`
  for (const host of [joined, accented, `${accented}%ff`]) refused(`https://${host}.com/`, /host name that is too long/)
  assert.equal(parse.mock.callCount(), 0)
  // The parser composes what is within the bound.
  accepted(`https://${'e\u0301'.repeat(50)}.example/`)
  accepted(`https://${'क्\u200d'.repeat(6)}ष.example/`)
  refused(`https://क्${'\u200d'.repeat(400)}.com/`, /too long/)
})
