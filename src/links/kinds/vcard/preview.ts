import { initialsOf } from '../../../lib/initials.ts'
import { typedText, type PreviewLine, type WritePreview } from '../preview.ts'

interface Named {
  firstName?: string
  lastName?: string
  org?: string
}

/** How a contact is called: by its names, else by its company. */
export function fullName({ firstName, lastName, org }: Named): string {
  return [firstName, lastName].filter((name) => name?.trim()).join(' ') || (org ?? '')
}

/** The initials that stand for a contact. */
export function signOfContact({ firstName, lastName, org }: Named): string {
  return initialsOf(firstName || lastName ? [firstName, lastName] : [org])
}

const details = ['jobTitle', 'org', 'phone', 'email', 'website']

export const preview: WritePreview = (form, texts) => {
  const typed = (field: string) => typedText(form, field)
  const contact = { firstName: typed('firstName'), lastName: typed('lastName'), org: typed('org') }
  const name = fullName(contact) || (texts['name'] ?? '')
  const plain = details.map((field): PreviewLine => ({ look: 'plain', text: typed(field) }))
  return {
    lines: [
      { look: 'initials', text: signOfContact(contact) },
      { look: 'name', text: name },
      ...plain.filter(({ text }) => text !== name),
      { look: 'press', text: texts['save'] ?? '' },
    ],
  }
}
