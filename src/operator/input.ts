import { invalidRequest } from '../http/problem.ts'

/** The host name in the input of an operation. @throws {Problem} 400 when it is missing */
export function readName({ name }: Record<string, unknown>): string {
  if (typeof name === 'string') return name
  throw invalidRequest([{ pointer: '/name', detail: 'must be a host name' }])
}
