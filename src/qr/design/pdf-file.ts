import { deflateSync } from 'node:zlib'
import { decimal } from './path.ts'

/** A builder of PDF files (ISO 32000-1): numbered objects that refer to each other. */
export interface PdfFile {
  /** Adds an object. @returns a reference to it */
  add: (content: string) => string
  /** Adds a compressed stream; `entries` are those of its dictionary besides length and filter. */
  addStream: (entries: string, data: Buffer) => string
  /** Adds a stream that is compressed already (RFC 1950). */
  addCompressed: (entries: string, compressed: Uint8Array) => string
  /** Returns the file; `root` refers to the catalogue. */
  end: (root: string, info: string) => Buffer
}

export function createPdf(): PdfFile {
  // A comment with bytes above 127 marks the file as binary (7.5.2).
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const append = (part: Uint8Array) => {
    parts.push(part)
    length += part.length
  }
  const begin = () => {
    offsets.push(length)
    append(Buffer.from(`${offsets.length} 0 obj\n`))
    return `${offsets.length} 0 R`
  }
  const addCompressed = (entries: string, compressed: Uint8Array) => {
    const reference = begin()
    append(Buffer.from(`<<${entries}/Filter/FlateDecode/Length ${compressed.length}>>\nstream\n`, 'latin1'))
    append(compressed)
    append(Buffer.from('\nendstream\nendobj\n'))
    return reference
  }
  return {
    addCompressed,
    addStream: (entries, data) => addCompressed(entries, deflateSync(data)),
    add(content) {
      const reference = begin()
      append(Buffer.from(`${content}\nendobj\n`, 'latin1'))
      return reference
    },
    end(root, info) {
      const start = length
      const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
      const size = offsets.length + 1
      const trailer = `trailer\n<</Size ${size}/Root ${root}/Info ${info}>>\nstartxref\n${start}\n%%EOF\n`
      append(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows}${trailer}`))
      return Buffer.concat(parts)
    },
  }
}

/** A page to be added to a file. Boxes are left, lower, right and upper edges in points (14.11.2). */
export interface PdfPage {
  content: Buffer
  /** The entries of its resources. */
  resources: string
  media: readonly number[]
  /** What is cut out, and what bleeds over the cut; a page that is not cut has neither. */
  trim?: readonly number[]
  bleed?: readonly number[]
}

/** Adds pages and the catalogue. @returns the file */
export function endPdf(
  pdf: PdfFile,
  pages: PdfPage[],
  { title, subject }: { title: string; subject?: string },
): Buffer {
  const streams = pages.map(({ content }) => pdf.addStream('', content))
  // The page tree and the pages refer to each other, so the number of the tree must be known before it is written.
  const first = Number.parseInt(streams.at(-1) ?? '0', 10) + 1
  const tree = `${first + pages.length} 0 R`
  const box = (name: string, sides: readonly number[] | undefined) =>
    sides === undefined ? '' : `/${name}[${sides.map(decimal).join(' ')}]`
  const kids = pages.map(({ media, trim, bleed, resources }, at) =>
    pdf.add(
      `<</Type/Page/Parent ${tree}${box('MediaBox', media)}${box('TrimBox', trim)}${box('BleedBox', bleed)}` +
        `/Contents ${streams[at]}/Resources<<${resources}>>>>`,
    ),
  )
  pdf.add(`<</Type/Pages/Count ${kids.length}/Kids[${kids.join(' ')}]>>`)
  const info = pdf.add(`<</Title ${pdfText(title)}${subject === undefined ? '' : `/Subject ${pdfText(subject)}`}>>`)
  return pdf.end(pdf.add(`<</Type/Catalog/Pages ${tree}>>`), info)
}

/** Encodes a text string (7.9.2.2): UTF-16 with a byte order mark, in hexadecimal. */
export function pdfText(text: string): string {
  return `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`
}
