/** Characters of untrusted text in a message. */
const MAX_LENGTH = 100

/** Makes untrusted text safe to show in a message: cuts it, and replaces control characters. */
export function shorten(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
  return cut.toWellFormed().replace(/\p{Cc}/gu, '\uFFFD')
}
