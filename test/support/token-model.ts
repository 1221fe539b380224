// What docs/api.md says about the tokens of a link, in plain words: tests compare the service with it.
import { newToken } from '../../src/lib/token.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The tokens of one link. */
export interface TokenModel {
  /** Every token that the owner was sent, in this order. */
  sent: string[]
  own: string
  /** The token that replaces it once it is used. */
  next: string | undefined
  rotatedAt: number
  /** Called when the next token becomes the own one. */
  replaced?: () => void
  /** The rotations with an idempotency key. */
  answers: Map<string, { from: string; token: string; at: number }>
}

export function tokensOf(token: string): TokenModel {
  return { sent: [token], own: token, next: undefined, rotatedAt: 0, answers: new Map() }
}

/** Whether a token works. */
export function isWorking(model: TokenModel, token: string, now: number): boolean {
  return token === model.next || (token === model.own && !isLate(model, now))
}

/** Uses a token; whether it works. The use of a new token makes it the only one. */
export function useToken(model: TokenModel, token: string, now: number): boolean {
  const works = isWorking(model, token, now)
  if (token === model.next) {
    Object.assign(model, { own: token, next: undefined })
    model.replaced?.()
  }
  return works
}

/** Whether an hour has passed since the rotation: the next token is the only one that works, although nobody has used it. */
export function isLate(model: TokenModel, now: number): boolean {
  return model.next !== undefined && now - model.rotatedAt >= HOUR
}

/** Notes that the link was deleted: none of its tokens works. */
export function voidTokens(model: TokenModel): void {
  Object.assign(model, { own: '', next: undefined })
}

/**
 * What a rotation returns: an earlier token again, an error's code, or undefined for a new token.
 * @param refusal the error's code when the token does not work; undefined when it does
 */
export function expectedRotation(
  model: TokenModel,
  from: string,
  key: string | undefined,
  { now, refusal }: { now: number; refusal: string | undefined },
): string | undefined {
  const answer = key === undefined ? undefined : model.answers.get(key)
  if (answer === undefined || now - answer.at > DAY) return refusal
  return [answer.from, answer.token].includes(from) ? answer.token : 'idempotency_key_reused'
}

/** Notes the new token that a rotation has returned. */
export function noteRotation(
  model: TokenModel,
  { from, token, key }: { from: string; token: string; key: string | undefined },
  now: number,
): void {
  Object.assign(model, { next: token, rotatedAt: now })
  model.sent.push(token)
  if (key !== undefined) model.answers.set(key, { from, token, at: now })
}

/** Whether a text may be a new token. */
export function isNewToken({ sent }: TokenModel, text: string): boolean {
  return text.length === newToken().length && !sent.includes(text)
}
