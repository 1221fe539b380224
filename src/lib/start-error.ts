/** An expected error of a command. The message is the one line that the operator reads: what, where, what to do. */
export class StartError extends Error {}

/** The line to print for an error that ended a command; undefined for an unexpected one. */
export function lineOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // System errors name the call and the path; SQLite's explain what is wrong with a database.
  return error instanceof StartError || 'syscall' in error || 'errcode' in error ? error.message : undefined
}
