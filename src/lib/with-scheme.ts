import { trimInvisible } from './invisible.ts'

/**
 * Adds the scheme to an address, which people often leave out, and drops the spaces around it. Invisible characters there
 * stay for the service, which says that it drops them.
 */
export function withScheme(text: string): string {
  const { text: address, before, after } = trimInvisible(text, /^[\s\p{Cf}]$/u)
  const [host = ''] = /^[^\s:/?#]*/.exec(address) ?? []
  const dot = host.indexOf('.', 1)
  const isHost = dot !== -1 && dot < host.length - 1 && /^[/?#]?$/.test(address.charAt(host.length))
  return `${withoutSpaces(before)}${isHost ? 'https://' : ''}${address}${withoutSpaces(after)}`
}

/** U+FEFF is invisible, and no space but to ECMAScript. */
function withoutSpaces(text: string): string {
  return text.replaceAll(/[^\S\uFEFF]/g, '')
}
