import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phoneAddress, withoutMarks } from './phone-number.ts'

const addresses = (numbers: Record<string, string | undefined>) =>
  Object.entries(numbers).map(([typed, address]) => [typed, address && `tel:${address}`])
const dials = (numbers: Record<string, string | undefined>) =>
  assert.deepEqual(
    Object.keys(numbers).map((typed) => [typed, phoneAddress(typed)]),
    addresses(numbers),
  )

test('the zero that is dialled only within a country is left out after its code, however it is written', () => {
  dials({
    '+49 (0)30 901820': '+4930901820',
    '+49(0)30-901820': '+4930901820',
    '0049 (0)30 901820': '+4930901820',
    '(+49) (0)30 901820': '+4930901820',
    '+49 030 901820': '+4930901820',
    '+44 (0)20 7946 0958': '+442079460958',
    '+44 (020) 7946 0958': '+442079460958',
    '+41 (0)44 668 18 00': '+41446681800',
    '+33 (0)1 23 45 67 89': '+33123456789',
    '+81 (0)3-1234-5678': '+81312345678',
    '+61 (0)2 9374 4000': '+61293744000',
  })
})

test('a zero that belongs to the number stays', () => {
  dials({
    '+39 06 698 12345': '+390669812345',
    '+39 (0)6 698 12345': '+390669812345',
    '+378 0549 882345': '+3780549882345',
    '+378 (0)549 882345': '+3780549882345',
    '+225 07 07 12 34 56': '+2250707123456',
    '030 901820': '030901820',
    '(030) 90 18 20': '030901820',
    '030/901820': '030901820',
  })
})

test('codes of networks and pauses are dialled as RFC 3966 writes them', () => {
  dials({
    '*100#': '*100%23',
    '**21*030901820#': '**21*030901820%23',
    '+1 555 010 2030,,123#': '+15550102030,,123%23',
    '+1 555 010 2030;123': '+15550102030;123',
    '030 901820,12': '030901820,12',
  })
})

test('dashes and digits of other keyboards are dialled', () => {
  dials({
    '030–901820': '030901820',
    '030\u2011901820': '030901820',
    '０３０９０１８２０': '030901820',
    '+1\u00a0555\u00a0010\u00a02030': '+15550102030',
  })
})

test('invisible marks are not dialled, and not kept', () => {
  for (const mark of ['\u202a', '\u202d', '\u202c', '\u200b', '\u2066', '\u2069', '\ufeff', '\u200e']) {
    assert.equal(phoneAddress(`${mark}+49 30 901820${mark}`), 'tel:+4930901820')
    assert.equal(withoutMarks(`${mark}+49 30 ${mark}901820`), '+49 30 901820')
  }
})

test('a number with words in it, or without a digit, has no address', () => {
  dials({
    '1-800-FLOWERS': undefined,
    '+49 30 901820 ext. 5': undefined,
    '-': undefined,
    '': undefined,
    '+': undefined,
  })
})

test('a number that no country has is dialled as it is written', () => {
  dials({ '+999 123': '+999123', '+49 1': '+491', '0012': '0012', '00 99 9': '00999' })
})
