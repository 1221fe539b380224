/** The first letters of up to two words that begin with a letter or a digit. */
export function initialsOf(words: (string | undefined)[]): string {
  const letters = words.map((word) => /^[\p{L}\p{N}]/u.exec(word?.trim().normalize('NFC') ?? '')?.[0] ?? '')
  return letters.filter(Boolean).slice(0, 2).join('').toUpperCase()
}
