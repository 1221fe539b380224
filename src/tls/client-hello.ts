/** The extensions of a ClientHello that select a certificate. */
export interface ClientHello {
  /** The server name (RFC 6066, 3) in lower case; undefined when the client sent none. */
  serverName: string | undefined
  /** The ALPN protocols (RFC 7301). */
  protocols: string[]
}

/** The result of parsing the first bytes of a connection; 'invalid' when they are not a ClientHello. */
export type ParsedHello = { type: 'hello'; hello: ClientHello } | { type: 'incomplete' } | { type: 'invalid' }

/** Larger than any real hello, with post-quantum keys and padding. */
const MAX_HELLO = 32_768

const HANDSHAKE = 0x16
const CLIENT_HELLO = 0x01
const SERVER_NAME = 0x0000
const PROTOCOLS = 0x0010
const RECORD_HEADER = 5
const MESSAGE_HEADER = 4

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

/** Parses the first bytes from a client (RFC 8446, 4.1.2 and 5.1; older versions have the same layout). */
export function readClientHello(bytes: Buffer): ParsedHello {
  try {
    const message = readMessage(bytes)
    return message === undefined ? { type: 'incomplete' } : { type: 'hello', hello: readHello(message) }
  } catch (error) {
    if (error instanceof RangeError) return { type: 'invalid' }
    throw error
  }
}

/** Joins the records of the message; undefined while it is incomplete. @throws {RangeError} for an invalid one */
function readMessage(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  let length = 0
  for (let at = 0; at < bytes.length;) {
    if (bytes.readUInt8(at) !== HANDSHAKE) throw new RangeError('not a TLS handshake')
    if (bytes.length < at + RECORD_HEADER) return undefined
    if (bytes.readUInt8(at + 1) !== 3) throw new RangeError('not a version of TLS')
    const end = at + RECORD_HEADER + bytes.readUInt16BE(at + 3)
    const part = bytes.subarray(at + RECORD_HEADER, end)
    parts.push(part)
    length += part.length
    const message = Buffer.concat(parts, length)
    if (message.length > 0 && message.readUInt8(0) !== CLIENT_HELLO) throw new RangeError('not a ClientHello')
    if (message.length >= MESSAGE_HEADER) {
      const needed = MESSAGE_HEADER + message.readUIntBE(1, 3)
      if (needed > MAX_HELLO) throw new RangeError('the ClientHello is too long')
      if (message.length >= needed) return message.subarray(MESSAGE_HEADER, needed)
    }
    // Otherwise empty records could make a hello endless.
    if (end === at + RECORD_HEADER || at > MAX_HELLO) throw new RangeError('the ClientHello is too long')
    at = end
  }
  return undefined
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
