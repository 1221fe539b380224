/** The host name of a `Host` header (RFC 9110, 7.2): in lower case, without port and without the root's dot. */
export function hostName(header: string | undefined): string {
  return (header ?? '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}
