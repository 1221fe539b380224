import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTexts } from './support/texts.ts'
import { languages, type Language } from '../src/texts/language.ts'

/** Words that no text has, with what to write instead. */
const refused: Record<Language, [word: RegExp, instead: string][]> = {
  en: [
    [/\bkeys?\b(?<!domain key)/i, 'private address, domain key or access code'],
    [/\bscans\b(?! (?:well|even|poorly|under))/i, 'visits'],
    [/\bshares\b/i, 'shared views'],
    [/\bremoved (?:by|for)\b|\bsuspended\b|\bmanagement page\b/i, 'blocked'],
    [/\bweb site/i, 'website'],
    [/\beye\b|\bmodules\b/i, 'dots, corner frames, corner centres'],
    [/\bgo on\b|\bgoes on by\b/i, 'continue'],
    [/\d %/, 'the number and % without a space'],
  ],
  de: [
    [/\bScans?\b(?!nen)/, 'Besuch'],
    [/(?<!Domain-)Schlüssel/, 'private Adresse, Domain-Schlüssel oder Zugangscode'],
    [/Telefon\w/, 'Handy'],
    [/Smartphone/, 'Handy'],
    [/einzelne Besucher/i, 'verschiedene Besucher'],
    [/\b(?:eingetragen|einzutragen|trag(?:en|t) .* ein)\b/, 'registrieren, DNS-Eintrag anlegen'],
    [/(?<!DNS-)(?<!\p{L}-)\bEintrag(?! (?:im DNS|hinzufügen))\b/u, 'DNS-Eintrag'],
    [/wegen Missbrauchs entfernt|vom Betreiber .*entfernt/, 'gesperrt'],
    [/berichtig/i, 'korrigieren'],
    [/Spielekonsole/, 'Spielkonsole'],
    [/\bAugen|\bModule\b/, 'Punkte, Eckrahmen, Eckpunkte'],
    [/\d ?%(?<!\u00a0%)/, 'the number, a space that does not break, and %'],
  ],
}

/** Texts that use a refused word for what it does mean: a visit with the mark of the QR image, say. */
const meant = new Set([
  'designer.textHint',
  'dns-providers.cloudflare.where',
  'dns-providers.godaddy.where',
  'rules.sentence.qr',
])

/** The texts of a language by path; functions with a number or a text in each place. */
function* textsIn(value: unknown, path: string): Generator<[path: string, text: string]> {
  if (typeof value === 'string') yield [path, value]
  else if (typeof value === 'function') {
    for (const given of [1, 2]) yield* textsIn(callWith(value as (...values: unknown[]) => unknown, given), path)
  } else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) yield* textsIn(each, `${path}.${name}`)
}

function callWith(text: (...values: unknown[]) => unknown, given: number): unknown {
  return text(...Array.from({ length: text.length }, () => given))
}

/** The texts of a file that have a refused word, each with what to write. */
function faultsOf(name: string, byLanguage: Record<string, object>): string[] {
  return languages.flatMap((language) =>
    [...textsIn(byLanguage[language], name)]
      .filter(([path]) => !meant.has(path))
      .flatMap(([path, text]) =>
        refused[language]
          .filter(([word]) => word.test(text))
          .map(([word, instead]) => `${language} ${path}: “${text}” has ${String(word)}; write ${instead}`),
      ),
  )
}

test('a thing has one name in all texts: visit, private address, domain key, access code, shared view, block', async () => {
  const faults = (await readTexts()).flatMap(([name, texts]) => faultsOf(name, texts))
  assert.deepEqual(faults, [])
})
