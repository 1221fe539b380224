import assert from 'node:assert/strict'
import { test } from 'node:test'
import { levels } from '../src/qr/encoder/tables.ts'
import { createEncodeText } from '../src/qr/matrix.ts'
import { place, readAppearance } from '../src/qr/options.ts'
import { renderPng } from '../src/qr/png/png.ts'
import { chosenOf, seed } from './support/corpus.ts'
import { requireProgram } from './support/programs.ts'
import { oneOf, randomFrom } from './support/random.ts'
import { decoderNames, missedIn, type Picture } from './support/three-decoders.ts'

const encode = createEncodeText()
const random = randomFrom(seed)
const one = <T>(items: readonly T[]): T => oneOf(random, items)

/** Languages in all scripts in which CLDR, which Node contains, has names of countries. */
const languages =
  'am ar as be bg bn bo brx bs-Cyrl ccp chr ckb cs da de dz el es et fa fi fr gu ha he hi hr hu hy ig is ja ka kk km kn ko kok ks lo lt lv mai mk ml mn mni mr my nb ne nqo or pa pl ps pt qu ro ru sa sat sd si sk sr sv ta te th ti tr ug uk ur uz-Arab vi yi yo yue-Hans zgh zh zh-Hant'.split(
    ' ',
  )
const countries = 'AX BR CH CI CN DE EG ES ET GE GR HU IL IN IS JP KR LA LK MM RU ST TH TR UA'.split(' ')

/** Names as people write them: `Åland`, `Côte d’Ivoire`, `საქართველო`, `日本`. */
const names = languages.flatMap((language) => {
  const inLanguage = new Intl.DisplayNames(language, { type: 'region' })
  return countries.map((country) => inLanguage.of(country) ?? '').filter((name) => !isAscii(name))
})

/** Words of the letters, marks and digits of each 128 code points of Unicode, so that none of its scripts is missing. */
const unicode = Array.from({ length: 0x20000 / 128 }, (_, block) => {
  const all = Array.from({ length: 128 }, (_, at) => block * 128 + at).filter((point) => point > 0x7f)
  return all.map((point) => (point >> 11 === 27 ? '' : String.fromCodePoint(point))).filter(isOfWord)
})
  .filter((characters) => characters.length >= 3)
  .map((characters) => Array.from({ length: 3 + Math.floor(random() * 6) }, () => one(characters)).join(''))

const emoji = [
  '😀',
  '🎉',
  '☕',
  '🍕',
  '🚀',
  '❤',
  '✂',
  '☀',
  '❤️',
  '👩‍💻',
  '👨‍👩‍👧‍👦',
  '🏳️‍🌈',
  '👍🏽',
  '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  '1️⃣',
  ...countries.map((country) =>
    String.fromCodePoint(...Array.from(country, (letter) => letter.charCodeAt(0) + 0x1f1a5)),
  ),
]

const mixed = Array.from({ length: 250 }, () => {
  const [name, word] = [one(names), one(unicode)]
  return one([
    `${name} 0123456789 TISCH 7 ${one(emoji)}`,
    `https://example.com/${name}?q=${word}&n=${Math.floor(random() * 1e9)}`,
    `WIFI:T:WPA;S:${name};P:${word}12345678;;`,
    `${one(emoji)}${one(emoji)} ${name} – ${word} €`,
    `${name}\n${word}\ttab`,
    `MENU ${'9'.repeat(Math.floor(random() * 30))}${name.normalize('NFD')}`,
  ])
})

const vcards = Array.from({ length: 120 }, () =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${one(names)};${one(names)};;;`,
    `FN:${one(names)} ${one(names)}`,
    `ORG:${one(unicode)}`,
    'TEL;TYPE=CELL:+4930901820',
    `ADR:;;${one(names)} 7;${one(names)};;10115;`,
    'END:VCARD',
    '',
  ].join('\r\n'),
)

const kinds = { names, unicode, emoji, mixed, vcards }

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

function isOfWord(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}]$/u.test(character)
}

const whole = Object.entries(kinds).flatMap(([kind, texts]) =>
  texts.map((text, at) => ({ kind, text, at, level: levels[at % 4] ?? 'M' })),
)
/** Outside of the whole corpus, a part of each kind. */
const chosen = chosenOf(whole, ({ at }) => at % 17 === 0)

function* pictures(): Generator<Picture> {
  for (const { kind, text, level } of chosen) {
    const symbol = encode(text, { level })
    const look = readAppearance({ size: (symbol.size + 8) * 4 }, 'png')
    yield { name: `${kind} ${JSON.stringify(text)}`, text, file: renderPng(symbol, place(symbol.size, look), look) }
  }
}

test('the corpus has two thousand texts: names in 83 languages, words of each part of Unicode, emoji, mixed texts and vCards', () => {
  assert.ok(whole.length >= 2000, String(whole.length))
  for (const texts of Object.values(kinds)) assert.ok(texts.length > 30)
  assert.equal(languages.length, 83)
  assert.deepEqual(new Set(chosen.map(({ level }) => level)), new Set(levels))
  const scripts = ['Arabic', 'Bengali', 'Cherokee', 'Cyrillic', 'Ethiopic', 'Greek', 'Han', 'Hangul', 'Hebrew', 'Khmer']
  for (const script of [...scripts, 'Cuneiform', 'Nko', 'Tamil', 'Thai', 'Tibetan', 'Tifinagh', 'Adlam', 'Vai'])
    assert.ok(
      [...names, ...unicode].some((word) => new RegExp(`\\p{Script=${script}}`, 'u').test(word)),
      script,
    )
})

test(`three decoders read the letters that were written, in ${chosen.length} texts of all scripts`, async (t) => {
  if (!requireProgram(t, 'zbarimg', 'zbar-tools')) return
  if (!requireProgram(t, 'ZXingReader', 'zxing-cpp-tools')) return
  const { total, missed } = await missedIn(pictures(), decoderNames)
  assert.deepEqual(missed, [])
  assert.equal(total, chosen.length)
})
