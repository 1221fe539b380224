import { StartError } from '../lib/start-error.ts'

/** The argument of a command that takes exactly one. @throws {StartError} */
export function singleArgument(args: readonly string[], what: string): string {
  const [argument, ...more] = args
  if (argument !== undefined && more.length === 0) return argument
  throw new StartError(`give one ${what}; see "quirl <command> --help"`)
}
