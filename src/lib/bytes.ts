// Bytes without Node's Buffer, for code that also runs in browsers.

/** Concatenates byte arrays. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** A view for reading numbers of several bytes. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Decodes one character per byte. */
export function latin1(bytes: Uint8Array): string {
  let text = ''
  // The number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

/** Base64 (RFC 4648, 4). Browsers of before 2025 have no method for it; by characters, 4 MB take 130 ms in place of 4. */
export function toBase64(bytes: Uint8Array & { toBase64?: () => string }): string {
  return bytes.toBase64?.() ?? base64ByCharacters(bytes)
}

/** The same, for browsers without the method. */
export function base64ByCharacters(bytes: Uint8Array): string {
  return btoa(latin1(bytes))
}

/** Decodes base64, with or without padding; undefined when the text is invalid. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let decoded: string
  try {
    decoded = atob(text)
  } catch {
    return undefined
  }
  const bytes = new Uint8Array(decoded.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = decoded.charCodeAt(at)
  return bytes
}
