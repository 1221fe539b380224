import Negotiator from 'negotiator'

/** More than any browser sends; to order thousands of types takes long. */
const MAX_ACCEPT = 1_000

/** Which of the media types, the first being ours by default, the `Accept` header (RFC 9110, 12.5.1) asks for. */
export function preferredType<T extends string>(accept: string | undefined, ours: readonly [T, ...T[]]): T {
  if (accept === undefined || accept === '*/*' || accept.length > MAX_ACCEPT) return ours[0]
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes([...ours])
  return ours.find((type) => type === best) ?? ours[0]
}

/** Whether the answer will be read by a person in a browser. */
export function wantsPage(accept: string | undefined): boolean {
  return preferredType(accept, ['application/json', 'text/html']) === 'text/html'
}
