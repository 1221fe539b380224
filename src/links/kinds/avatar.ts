import { html, type Html } from '../../http/html.ts'

/** The first letters of up to two words that begin with a letter or a digit. */
export function initialsOf(words: (string | undefined)[]): string {
  const letters = words.map((word) => /^[\p{L}\p{N}]/u.exec(word?.trim().normalize('NFC') ?? '')?.[0] ?? '')
  return letters.filter(Boolean).slice(0, 2).join('').toUpperCase()
}

/** A round picture with initials or an emoji; nothing without any. The heading says the same to screen readers. */
export function avatarOf(text: string): Html | false {
  if (text.trim() === '') return false
  const isPicture = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(text)
  return html`<p class="avatar${isPicture && html` picture`}" aria-hidden="true" dir="auto">${text}</p>`
}
