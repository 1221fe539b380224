import { html, type Html } from '../../../http/html.ts'

/** A round picture with initials or an emoji; nothing without any. The heading says the same to screen readers. */
export function avatarOf(text: string): Html | false {
  if (text.trim() === '') return false
  const isPicture = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(text)
  return html`<p class="avatar${isPicture && html` picture`}" aria-hidden="true" lang="" dir="auto">${text}</p>`
}
