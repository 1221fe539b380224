import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesTexts } from '../../../texts/rules.ts'
import type { Language } from '../../../texts/language.ts'
import { ruleSentence, type SpokenRule } from './sentence.ts'

const say = (rule: SpokenRule, language: Language) =>
  ruleSentence(rule, { language, texts: rulesTexts[language].sentence })
const to = { target: 'https://example.com/ios' }

const cases: [rule: SpokenRule, en: string, de: string][] = [
  [
    { when: { os: ['iOS'], until: '2026-12-31T18:00:00+01:00' }, then: to },
    'On iPhones, until 31 December 2026, 18:00 (UTC+1), it leads to https://example.com/ios',
    'Auf iPhones, bis 31. Dezember 2026, 18:00 (UTC+1) führt er zu https://example.com/ios',
  ],
  [
    {
      when: {
        country: ['DE', 'CH'],
        weekdays: ['fri', 'mon', 'tue', 'wed', 'thu'],
        hours: ['09:00-17:00'],
        timezone: 'Europe/Berlin',
      },
      then: to,
    },
    'In Germany or Switzerland, Monday to Friday, between 09:00 and 17:00 (Europe/Berlin), it leads to https://example.com/ios',
    'In Deutschland oder der Schweiz, montags bis freitags, zwischen 09:00 und 17:00 Uhr (Europe/Berlin) führt er zu https://example.com/ios',
  ],
  [
    { when: { device: ['mobile', 'tablet'], language: ['pt'], source: 'qr', percent: 50 }, then: to },
    'On phones or tablets, with the browser set to Portuguese, after a scan of the QR code, for 50% of visitors, it leads to https://example.com/ios',
    'Auf Handys oder Tablets, bei Browsersprache Portugiesisch, nach einem Scan des QR-Codes, für 50 % der Besucher führt er zu https://example.com/ios',
  ],
  [
    { when: { after_scans: 1000 }, then: { ended: 'All gone' } },
    'After 1,000 visits, it shows that the offer has ended: “All gone”',
    'Nach 1.000 Besuchen zeigt er, dass das Angebot abgelaufen ist: „All gone“',
  ],
  [
    { when: { after_visitors: 1000 }, then: { ended: 'All gone' } },
    'After 1,000 visitors, it shows that the offer has ended: “All gone”',
    'Nach 1.000 Besuchern zeigt er, dass das Angebot abgelaufen ist: „All gone“',
  ],
  [
    { when: { after_visitors: 1 }, then: to },
    'After one visitor, it leads to https://example.com/ios',
    'Nach einem Besucher führt er zu https://example.com/ios',
  ],
  [
    { when: { weekdays: ['sun', 'tue'], timezone: 'UTC', after_scans: 1 }, then: to },
    'On Tuesday or Sunday (UTC), after one visit, it leads to https://example.com/ios',
    'Am Dienstag oder Sonntag (UTC), nach einem Besuch führt er zu https://example.com/ios',
  ],
  [
    { when: { from: '2027-01-01T00:00+01:00' }, then: { ended: 'Over' } },
    'Last day: 31 December 2026 (UTC+1). After that, visitors read “Over”',
    'Letzter Tag: 31. Dezember 2026 (UTC+1). Danach lesen Besucher „Over“',
  ],
  [
    { when: { from: '2026-12-31T18:00:00Z' }, then: { ended: 'Over' } },
    'Ends on 31 December 2026, 18:00 (UTC). After that, visitors read “Over”',
    'Endet am 31. Dezember 2026, 18:00 (UTC). Danach lesen Besucher „Over“',
  ],
  [
    { when: { until: '2026-12-01T00:00:00+01:00' }, then: { ended: 'Soon' } },
    'Starts on 1 December 2026 (UTC+1). Before that, visitors read “Soon”',
    'Beginnt am 1. Dezember 2026 (UTC+1). Davor lesen Besucher „Soon“',
  ],
  [
    { when: { from: '2027-01-01T00:00+01:00', os: ['iOS'] }, then: { ended: 'Over' } },
    'On iPhones, from 1 January 2027, 00:00 (UTC+1), it shows that the offer has ended: “Over”',
    'Auf iPhones, ab 1. Januar 2027, 00:00 (UTC+1) zeigt er, dass das Angebot abgelaufen ist: „Over“',
  ],
  [{ when: {}, then: { target: '' } }, 'In every case, it leads to …', 'In jedem Fall führt er zu …'],
]

test('a rule is one sentence that people understand, in both languages', () => {
  for (const [rule, en, de] of cases) {
    assert.equal(say(rule, 'en'), en)
    assert.equal(say(rule, 'de'), de)
  }
})

test('a placeholder within the text of an owner stays as it is', () => {
  assert.match(say({ when: {}, then: { ended: '{conditions} {list}' } }, 'en'), /“\{conditions\} \{list\}”/)
})
