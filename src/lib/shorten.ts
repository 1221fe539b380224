/** The longest name that messages repeat. */
const MAX_SHOWN = 100

/** A stranger's text as a message shows it: cut where it is long, and without what no screen shows. */
export function shorten(text: string): string {
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text
  return cut.toWellFormed().replace(/\p{Cc}/gu, '\uFFFD')
}
