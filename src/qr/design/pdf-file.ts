import { deflateSync } from 'node:zlib'

/** A PDF file in the making (ISO 32000-1): numbered objects, which refer to each other. */
export interface PdfFile {
  /** Adds an object. @returns a reference to it */
  add: (content: string) => string
  /** Adds a stream, compressed; `entries` are those of its dictionary besides length and filter. */
  addStream: (entries: string, data: Buffer) => string
  /** The whole file; `root` refers to the catalogue. */
  end: (root: string, info: string) => Buffer
}

export function createPdf(): PdfFile {
  // Bytes above 127 in a comment tell programs that the file is not text (7.5.2).
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const append = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  const begin = () => {
    offsets.push(length)
    append(Buffer.from(`${offsets.length} 0 obj\n`))
    return `${offsets.length} 0 R`
  }
  return {
    add(content) {
      const reference = begin()
      append(Buffer.from(`${content}\nendobj\n`, 'latin1'))
      return reference
    },
    addStream(entries, data) {
      const reference = begin()
      const packed = deflateSync(data)
      append(Buffer.from(`<<${entries}/Filter/FlateDecode/Length ${packed.length}>>\nstream\n`, 'latin1'))
      append(packed)
      append(Buffer.from('\nendstream\nendobj\n'))
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

/** A text string of any characters (7.9.2.2): UTF-16 with a byte order mark, in hexadecimal digits. */
export function pdfText(text: string): string {
  return `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`
}
