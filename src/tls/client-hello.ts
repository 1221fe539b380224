/** The extensions of a ClientHello that select a certificate. */
export interface ClientHello {
  /** The server name (RFC 6066, 3) in lower case; undefined when the client sent none. */
  serverName: string | undefined
  /** The ALPN protocols (RFC 7301). */
  protocols: string[]
}

/** The result of parsing the first bytes of a connection; 'invalid' when they are not a ClientHello. */
export type ParsedHello = { type: 'hello'; hello: ClientHello } | { type: 'incomplete' } | { type: 'invalid' }

/** Four times the largest usual hello, with post-quantum keys, a ticket and padding. */
const MAX_HELLO = 8_192
/** One is usual; some clients cut the hello at its server name. */
const MAX_RECORDS = 32

const HANDSHAKE = 0x16
const CLIENT_HELLO = 0x01
const SERVER_NAME = 0x0000
const PROTOCOLS = 0x0010
const RECORD_HEADER = 5
const MESSAGE_HEADER = 4

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

/**
 * Reads the first bytes from a client (RFC 8446, 4.1.2 and 5.1; older versions have the same layout), as they come: it looks at each
 * byte once, however the message is cut into records and these into chunks.
 * @returns takes the next bytes; once the result is not 'incomplete', it must not be called again
 */
export function createHelloReader(): (chunk: Buffer) => ParsedHello {
  const readChunk = createRecordReader()
  return (chunk) => {
    try {
      const message = readChunk(chunk)
      return message === undefined ? { type: 'incomplete' } : { type: 'hello', hello: readHello(message) }
    } catch (error) {
      if (error instanceof RangeError) return { type: 'invalid' }
      throw error
    }
  }
}

/** Joins the records of the message: undefined while it is incomplete. What it returns throws a RangeError for an invalid one. */
function createRecordReader(): (chunk: Buffer) => Buffer | undefined {
  const header = Buffer.alloc(RECORD_HEADER)
  /** Bytes of the header that have come, and of its record that have not. */
  let [headed, missing, records] = [0, 0, 0]
  const message = createMessage()

  function readHeader(byte: number): void {
    header[headed++] = byte
    if (headed === 1 && byte !== HANDSHAKE) throw new RangeError('not a TLS handshake')
    if (headed < RECORD_HEADER) return
    if (header.readUInt8(1) !== 3) throw new RangeError('not a version of TLS')
    missing = header.readUInt16BE(3)
    // Otherwise empty or tiny records could make a hello endless.
    if (missing === 0 || ++records > MAX_RECORDS) throw new RangeError('the ClientHello has too many records')
  }

  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (headed < RECORD_HEADER) {
        readHeader(chunk.readUInt8(at++))
        continue
      }
      const part = chunk.subarray(at, at + missing)
      at += part.length
      missing -= part.length
      if (missing === 0) headed = 0
      const complete = message.add(part)
      if (complete !== undefined) return complete
    }
    return undefined
  }
}

/** The ClientHello, of which parts are added until it is complete. */
function createMessage() {
  const parts: Buffer[] = []
  let start = Buffer.alloc(0)
  let [length, needed] = [0, Infinity]
  return {
    /** @throws {RangeError} when it is no ClientHello, or too long */
    add(part: Buffer): Buffer | undefined {
      parts.push(part)
      length += part.length
      if (start.length < MESSAGE_HEADER) {
        start = Buffer.concat([start, part.subarray(0, MESSAGE_HEADER - start.length)])
        if (start.readUInt8(0) !== CLIENT_HELLO) throw new RangeError('not a ClientHello')
        if (start.length === MESSAGE_HEADER) needed = MESSAGE_HEADER + start.readUIntBE(1, 3)
        if (needed !== Infinity && needed > MAX_HELLO) throw new RangeError('the ClientHello is too long')
      }
      return length < needed ? undefined : Buffer.concat(parts, length).subarray(MESSAGE_HEADER, needed)
    },
  }
}

/** A cursor over `bytes`, whose methods throw a RangeError past the end. */
function reader(bytes: Buffer) {
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('a field is truncated')
    at += length
    return bytes.subarray(at - length, at)
  }
  return {
    take,
    number: (size: number) => take(size).readUIntBE(0, size),
    /** A field after its length, which has `size` bytes. */
    field: (size: number) => take(take(size).readUIntBE(0, size)),
    isAtEnd: () => at >= bytes.length,
  }
}

function readHello(message: Buffer): ClientHello {
  const hello: ClientHello = { serverName: undefined, protocols: [] }
  const body = reader(message)
  body.take(2 + 32)
  body.field(1)
  body.field(2)
  body.field(1)
  if (body.isAtEnd()) return hello
  const extensions = reader(body.field(2))
  while (!extensions.isAtEnd()) {
    const type = extensions.number(2)
    const content = extensions.field(2)
    if (type === SERVER_NAME) hello.serverName = readServerName(content)
    if (type === PROTOCOLS) hello.protocols = readProtocols(content)
  }
  return hello
}

function readServerName(content: Buffer): string | undefined {
  const names = reader(reader(content).field(2))
  while (!names.isAtEnd()) {
    const type = names.number(1)
    const name = names.field(2).toString('latin1').toLowerCase().replace(/\.$/, '')
    if (type !== 0) continue
    if (!hostName.test(name)) throw new RangeError('the server name is not a host name')
    return name
  }
  return undefined
}

function readProtocols(content: Buffer): string[] {
  const names = reader(reader(content).field(2))
  const protocols: string[] = []
  while (!names.isAtEnd()) protocols.push(names.field(1).toString('latin1'))
  return protocols
}
