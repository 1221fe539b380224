import { Problem } from './problem.ts'

/** An error of Node's parser. */
export type ParserError = Error & { code?: string | undefined; rawPacket?: unknown; bytesParsed?: number }

/** The problem that a client gets for what Node's parser refuses. */
export function parserProblem(error: ParserError): Problem {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'the request was not sent in time')
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'the headers are larger than 16 KiB')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('body_too_large', 'the extensions of the chunks are larger than 16 KiB')
    case 'HPE_INVALID_METHOD':
      if (isRequestLine(error)) return new Problem('not_implemented', 'no address supports this method')
  }
  return new Problem('invalid_request', 'the request is not valid HTTP')
}

/** Whether the parser failed at a request line with an unknown method. */
function isRequestLine({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  return /^[A-Z]{1,32} \//.test(rawPacket.toString('latin1', start, start + 40))
}
