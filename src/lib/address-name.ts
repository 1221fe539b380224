/** A web address as people name it: host and path, as `example.com/menu`. The text itself when it is no address. */
export function addressName(address: string): string {
  if (!URL.canParse(address)) return address
  const { host, pathname } = new URL(address)
  return `${host.replace(/^www\./, '')}${pathname === '/' ? '' : readable(pathname)}`
}

/** Letters instead of their percent-encoding, unless what they hold cannot be seen or turns the direction of the text. */
function readable(path: string): string {
  try {
    const decoded = decodeURI(path)
    return /[\p{C}\p{Z}]/u.test(decoded) ? path : decoded
  } catch {
    return path
  }
}
