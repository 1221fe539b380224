import type { CallToolResult } from '@modelcontextprotocol/server'
import { StartError } from '../../lib/start-error.ts'

/** Fields that are absent from a request, rather than undefined. */
export function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

export function answer(work: () => Promise<object>): Promise<CallToolResult> {
  return answerWith(async () => resultOf(await work()))
}

export function resultOf(data: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: { ...data } }
}

/** A refused request is a result with an error, from which the assistant learns what to correct. */
export async function answerWith(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { content: [{ type: 'text', text: error.message }], isError: true }
  }
}

/**
 * The result of a creation, whose token is in no other response.
 * @param keep keeps the token; undefined when it is not to be kept
 */
export function resultOfCreation(created: object, what: string, keep: (() => void) | undefined): CallToolResult {
  const { content, ...result } = resultOf(created)
  try {
    keep?.()
    return { ...result, content }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { ...result, content: [...content, { type: 'text', text: `${what} was created, but ${error.message}` }] }
  }
}
