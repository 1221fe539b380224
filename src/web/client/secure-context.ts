// What browsers have only in secure contexts (W3C Secure Contexts, section 3): on HTTPS and on localhost, but not on plain HTTP in the own network.
// Nothing else here may name `navigator` or `crypto`: the linter refuses both elsewhere.

/** Undefined outside of secure contexts, in spite of the type that TypeScript has for it. */
export function clipboard(): Clipboard | undefined {
  return navigator.clipboard
}

/** Whether the device has something to share with. */
export const canShare = 'share' in navigator

export function share(content: ShareData): Promise<void> {
  return navigator.share(content)
}

/** A key that nobody else has: 128 random bits. `crypto.randomUUID` exists only in secure contexts, this everywhere. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
