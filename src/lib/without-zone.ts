/**
 * The address of an end of a connection without the name of a network interface, which follows a link-local one (RFC 4007, 11.2): this
 * machine's operator chose that, with characters that no parser of addresses expects.
 */
export function withoutZone(address: string): string {
  const at = address.indexOf('%')
  return at === -1 ? address : address.slice(0, at)
}
