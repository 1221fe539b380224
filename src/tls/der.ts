// The parts of DER (ITU-T X.690) that certificate requests and certificate identifiers need.

const tags = { integer: 0x02, bitString: 0x03, octetString: 0x04, oid: 0x06, utf8: 0x0c, sequence: 0x30, set: 0x31 }

/** Encodes a value: the tag, the length in its shortest form, the content. */
export function encode(tag: keyof typeof tags | number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  const number = typeof tag === 'number' ? tag : tags[tag]
  if (body.length < 0x80) return Buffer.concat([Buffer.from([number, body.length]), body])
  const digits = body.length.toString(16)
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([number, 0x80 | length.length]), length, body])
}

/** Encodes an object identifier from its dotted form. */
export function encodeOid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap((part) => {
    const groups = [part & 0x7f]
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift(0x80 | (left & 0x7f))
    return groups
  })
  return encode('oid', Buffer.from(bytes))
}

/** A decoded value. */
export interface DerValue {
  tag: number
  content: Buffer
}

/** Decodes consecutive values. @throws {RangeError} when one is truncated */
export function decodeAll(bytes: Buffer): DerValue[] {
  const values: DerValue[] = []
  for (let at = 0; at < bytes.length;) {
    const tag = bytes.readUInt8(at)
    const short = bytes.readUInt8(at + 1)
    const more = short < 0x80 ? 0 : short & 0x7f
    const length = more === 0 ? short : bytes.readUIntBE(at + 2, more)
    const start = at + 2 + more
    if (start + length > bytes.length) throw new RangeError('a DER value is truncated')
    values.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return values
}

/** Decodes the values inside the first value of `bytes`. */
export function decodeFirst(bytes: Buffer): DerValue[] {
  return decodeAll(decodeAll(bytes)[0]?.content ?? Buffer.alloc(0))
}
