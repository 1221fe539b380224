/** A host name without the trailing dot of the DNS root (RFC 1034, 3.1). */
export function withoutRoot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

/** The host name of a `Host` header (RFC 9110, 7.2): in lower case, without port and trailing dot. */
export function hostName(header: string | undefined): string {
  return withoutRoot((header ?? '').replace(/:\d*$/, '')).toLowerCase()
}

/** Whether a host, in WHATWG notation, is loopback (RFC 6761, 6.3; RFC 1122, 3.2.1.3; RFC 4291, 2.5.3). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** Whether a host, in WHATWG notation, is the unspecified address, by which servers listen on all addresses. */
export function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '[::]'
}
