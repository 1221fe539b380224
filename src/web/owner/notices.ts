import type { Language } from '../../texts/language.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { settingsNotices } from './settings/section.ts'
import type { Notice } from './view.ts'

/** What the page says after a form, by the names in its query. */
export function noticeOf(query: Record<string, string>, language: Language): Notice | undefined {
  const notices = noticesOf(language)
  const done = Object.keys(query).find((name) => Object.hasOwn(notices, name))
  const notice = done === undefined ? undefined : notices[done]
  if (!('trimmed' in query)) return notice
  const { trimmed } = ownerTexts[language]
  return { ...notice, text: notice === undefined ? trimmed : `${notice.text} ${trimmed}` }
}

/** The notices by their names. */
function noticesOf(language: Language): Record<string, Notice> {
  const texts = Object.entries(ownerTexts[language].notices)
  const further: Record<string, Partial<Notice>> = {
    designed: { at: 'design' },
    'designed-poor': { at: 'design', isWarning: true },
    ruled: { at: 'rules' },
    reverted: { at: 'history' },
  }
  const notices = texts.map(([name, text]) => [name, { text, ...further[name] }])
  return { ...Object.fromEntries(notices), ...settingsNotices(language) }
}
