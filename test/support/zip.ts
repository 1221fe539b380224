import { crc32, deflateRawSync } from 'node:zlib'

/** A file to be put into an archive, and what the archive says of it in place of the truth. */
export interface Packed {
  name: string
  content: Buffer | string
  /** Unpacked bytes. */
  size?: number
}

/** Writes an archive of compressed files, which may lie; the writer of quirl neither compresses nor lies. */
export function makeArchive(files: Packed[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, size } of files) {
    const bytes = Buffer.from(content)
    const data = deflateRawSync(bytes)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50)
    head.writeUInt16LE(20, 4)
    head.writeUInt16LE(8, 8)
    head.writeUInt32LE(crc32(bytes), 14)
    head.writeUInt32LE(data.length, 18)
    head.writeUInt32LE(size ?? bytes.length, 22)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(20, 4)
    head.copy(entry, 6, 4, 30)
    entry.writeUInt32LE(offset, 42)
    parts.push(head, Buffer.from(name), data)
    directory.push(entry, Buffer.from(name))
    offset += head.length + name.length + data.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, entries, end])
}

const counts = 'humans,unique_humans,bots,unique_bots'
/** The files of the bundle of a link without visits. */
export const bundleWithoutVisits = (code: string): Record<string, string> => ({
  'link.json': JSON.stringify({
    format: 'quirl-link',
    version: 1,
    code,
    target: 'https://a.example/',
    has_password: false,
  }),
  'quarter-hours.csv': `starts_at,${counts}\r\n`,
  'days.csv': `day,dimension,value,country,${counts}\r\n`,
  'months.csv': `month,dimension,value,country,${counts}\r\n`,
  'scans.csv': 'scanned_at,source,device,os,browser,country,city,referrer,unique,bot,answer\r\n',
})
