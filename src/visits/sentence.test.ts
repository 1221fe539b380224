import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutSentence } from './sentence.ts'

const isReserved = (code: string) => code === 'docs'
const encoded = (text: string) => encodeURIComponent(text)

test('what a sentence puts after a code is no part of it, also percent-encoded and several', () => {
  const ends = [
    '.',
    ',',
    ')',
    '!',
    ';',
    ':',
    "'",
    '"',
    '»',
    '”',
    '’',
    '>',
    ']',
    '*',
    '…',
    '。',
    '、',
    '）',
    ' ',
    '\u00a0',
    '\u200b',
    '\u2060',
    '\ufeff',
    '\u202c',
    '\n',
    '=',
  ]
  for (const end of [...ends, '.)', '!!!', '). ', '\u200b,']) {
    assert.equal(withoutSentence(`/k7dw3nq${encoded(end)}`, isReserved), '/k7dw3nq', JSON.stringify(end))
    assert.equal(withoutSentence(`/k7dw3nq${encoded(end)}?qr=1`, isReserved), '/k7dw3nq?qr=1', JSON.stringify(end))
  }
  for (const end of ['.', ',', ')', '!', ';', "'", '),', '…', '\u00a0'])
    assert.equal(withoutSentence(`/k7dw3nq${Buffer.from(end).toString('latin1')}`, isReserved), '/k7dw3nq', end)
})

test('an ending that means something stays, with and without a sentence after it', () => {
  for (const url of ['/K7DW3NQ.Q', '/k7dw3nq.q', '/k7dw3nq.vcf', '/k7dw3nq+']) {
    assert.equal(withoutSentence(url, isReserved), url)
    if (!url.endsWith('+')) assert.equal(withoutSentence(`${url}).`, isReserved), url)
  }
})

test('no other URL changes', () => {
  for (const url of [
    '/',
    '/k7dw3nq',
    '/k7dw3nq?a=b,',
    '/k7dw3nq-',
    '/k7dw3nq.txt',
    '/k7dw3nqé',
    '/k7dw3nq%C3%A9',
    '/k7dw3nq%2F',
    '/k7dw3nq%5C',
    '/k7dw3nq%',
    '/k7dw3nq%FF',
    '/k7dw3nq+,',
    '/k7dw3nq./',
    '/k7dw3nq/qr.png,',
    '/docs.',
    '/.well-known',
    `/${'x'.repeat(65)}.`,
    '*',
  ])
    assert.equal(withoutSentence(url, isReserved), url)
})
