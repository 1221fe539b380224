/** An expected reason not to do what the command line asks. The message is the one line that the operator reads: what, where, what to do. */
export class StartError extends Error {}

/** The line that an operator reads of what ended a command; undefined for a fault of ours. */
export function lineOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // The system's errors name what was tried and the path; SQLite's say what is wrong with a database.
  return error instanceof StartError || 'syscall' in error || 'errcode' in error ? error.message : undefined
}
