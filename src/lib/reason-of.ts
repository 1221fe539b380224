/** Why something failed, in one line: of an error that stands for several, the first; `fetch` has it in the cause only. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause)
  const code = 'code' in error ? String(error.code) : error.name
  return (error.message || code).replaceAll(/\s+/g, ' ')
}
