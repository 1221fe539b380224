import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'tldts'
import { reservedEndings } from '../lib/private-name.ts'
import { refused, accepted, notations } from '../../test/support/url-policy.ts'

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
