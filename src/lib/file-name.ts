import { streamSafe } from './stream-safe.ts'

/** Names that Windows keeps for devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?:\.|$)/i
/** What Windows forbids, what divides paths, controls, formats such as the marks of direction, and what no text has. */
const UNSAFE = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu
/** Bytes of a name in UTF-8: file systems take 255, of which endings and what makes names unique need some. */
const MAX_BYTES = 120

/**
 * A name of a file, without ending, that Windows, macOS and Linux take as it is: NFC, without what divides paths, 1 to 120 bytes in
 * UTF-8. Empty where nothing of the text is left.
 */
export function safeFileName(text: string): string {
  const plain = streamSafe(text)
    .normalize('NFC')
    .replaceAll(/\s/g, ' ')
    .replaceAll(UNSAFE, ' ')
    .replaceAll(/ {2,}/g, ' ')
  const name = withoutEnds(shortened(withoutEnds(plain)))
  return DEVICE.test(name) ? `_${name}` : name
}

/** Without what hides a file at its beginning, and what Windows drops at its end. */
function withoutEnds(name: string): string {
  let [start, end] = [0, name.length]
  const isEnd = (at: number) => name[at] === ' ' || name[at] === '.'
  while (start < end && isEnd(start)) start++
  while (end > start && isEnd(end - 1)) end--
  return name.slice(start, end)
}

const encoder = new TextEncoder()
const bytesOf = (text: string) => encoder.encode(text).length

/** As many characters, as people count them, as fit: none is cut in the middle. */
function shortened(name: string): string {
  if (bytesOf(name) <= MAX_BYTES) return name
  let bytes = 0
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(name.slice(0, MAX_BYTES))) {
    bytes += bytesOf(segment)
    if (bytes > MAX_BYTES) break
    kept += segment
  }
  return kept.toWellFormed().replaceAll('\uFFFD', '')
}

/** What the images of an archive are named by: the code of the link, or its title. */
export type FileNames = 'code' | 'title'

/** Names of images without ending. The prefix avoids codes such as "con", which Windows reserves. */
export function createCodeFileNames(names: FileNames): (code: string, title: string | undefined) => string {
  const unique = createUniqueNames()
  return (code, title = '') => {
    const name = names === 'title' ? safeFileName(title) : ''
    return name === '' ? unique(`qr-${code}`, `qr-${code}`) : unique(name, `${name} (${code})`)
  }
}

/** Gives each file of a folder a name of its own: file systems may ignore case and the form of letters. */
export function createUniqueNames(): (name: string, otherwise: string) => string {
  const taken = new Set<string>()
  const take = (name: string) => {
    const key = name.normalize('NFKC').toLowerCase()
    if (taken.has(key)) return false
    taken.add(key)
    return true
  }
  return (name, otherwise) => {
    if (take(name)) return name
    let candidate = otherwise
    for (let n = 2; !take(candidate); n++) candidate = `${otherwise} ${n}`
    return candidate
  }
}
