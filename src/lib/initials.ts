/** The first letters of up to two words that begin with a letter or a digit. */
export function initialsOf(words: (string | undefined)[]): string {
  const letters = words.map((word) => /^[\p{L}\p{N}]/u.exec(word?.trim().normalize('NFC') ?? '')?.[0] ?? '')
  return letters.filter(Boolean).slice(0, 2).join('').toUpperCase()
}

/** What stands for a page of links: what its owner has chosen, else the initials of its heading. */
export function signOfPage({ headline, avatar }: { headline: string; avatar?: string | undefined }): string {
  return avatar?.trim() ? avatar : initialsOf(headline.split(/\s+/))
}

/** The initials that stand for a contact. */
export function signOfContact(contact: { firstName?: string; lastName?: string; org?: string }): string {
  const { firstName, lastName, org } = contact
  return initialsOf(firstName || lastName ? [firstName, lastName] : [org])
}
