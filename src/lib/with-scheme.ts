/** Adds the scheme to an address, which people often leave out. */
export function withScheme(text: string): string {
  const address = text.trim()
  const [host = ''] = /^[^\s:/?#]*/.exec(address) ?? []
  const dot = host.indexOf('.', 1)
  const isHost = dot !== -1 && dot < host.length - 1 && /^[/?#]?$/.test(address.charAt(host.length))
  return isHost ? `https://${address}` : address
}
