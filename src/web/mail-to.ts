/** A message that a person sends to themselves. */
export interface Message {
  title: string
  text: string
}

/** An e-mail to nobody yet; its lines end with CR and LF (RFC 6068, section 5). */
export function mailTo({ title, text }: Message): string {
  const encode = (part: string) => encodeURIComponent(part.replaceAll('\n', '\r\n'))
  return `mailto:?subject=${encode(title)}&body=${encode(text)}`
}
