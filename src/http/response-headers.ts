interface HeaderText {
  description: string
  /** Whether every response that is described with it has it. */
  required?: true
  type?: string
  example?: string
}

/** The headers of responses that a client may act on; those for caches, browsers and the connection are not described. */
export const responseHeaders = {
  Allow: { description: 'The methods that this address supports (RFC 9110, 10.2.1).', required: true },
  'Content-Disposition': { description: 'A name for the file (RFC 6266).' },
  ETag: { description: 'Identifies this version (RFC 9110, 8.8.3), for `If-Match` or `If-None-Match`.' },
  Link: { description: 'Who demands the removal, as `rel="blocked-by"` (RFC 7725, 4).', required: true },
  Location: { description: 'The URL of what was created, or to go on to.', required: true },
  'Preference-Applied': { description: '`handling=strict` when the request asked for it (RFC 7240, 3).' },
  'QR-Level': { description: 'The error-correction level of the symbol.' },
  'QR-Scannability': {
    description:
      'For designed images: `excellent`, `good` or `fair`, by the stress test that they pass. `poor` when the ' +
      'contrast is low or inverted.',
  },
  'Quirl-As-Of': {
    description:
      'Like `as_of` of statistics, for an export that lacks scans from before the request: the time of the oldest one.',
  },
  'Quirl-Ignored': {
    description: 'What `ignored` says, whatever the body is: percent-encoded, between commas; 1 KiB at most.',
  },
  'Quirl-Instance': { description: 'The same for all addresses of one service.', required: true },
  'Quirl-Raw-Missing': {
    description: 'How many scans of the link count and are not in the export.',
    type: 'integer',
  },
  'Quirl-Warning': {
    description:
      'The codes of warnings, whatever the body is, between commas. `local_address`: others cannot reach its URL. `windows_1252`: the CSV was not UTF-8. `invisible_characters`: those at the ends of a URL were dropped.',
  },
  RateLimit: {
    description: 'What remains of a quota, and the seconds until it begins anew; absent without one.',
    example: '"links";r=59;t=3600',
  },
  'RateLimit-Policy': {
    description: 'The quota of that name, and its window in seconds; absent without one.',
    example: '"links";q=60;w=3600',
  },
  'Retry-After': { description: 'The seconds to wait before another try.', type: 'integer', required: true },
  'WWW-Authenticate': { description: 'How to send the key (RFC 6750).', required: true },
} as const satisfies Record<string, HeaderText>

export type ResponseHeader = keyof typeof responseHeaders

/** The headers of a route's response, as its schema has them. */
export function sends(...names: ResponseHeader[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
}

/** The components of the OpenAPI document to which its responses refer. */
export function headerComponents(): Record<string, object> {
  const all = Object.entries<HeaderText>(responseHeaders)
  return Object.fromEntries(all.map(([name, { type = 'string', ...rest }]) => [name, { ...rest, schema: { type } }]))
}

/** References to these components. */
export function headerReferences(names: Iterable<string>): Record<string, object> {
  return Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
