import type { Command } from '../../command.ts'

/** What `quirl collection` does with a word after its name. */
export interface Verb {
  name: string
  /** What follows the word. */
  usage: string
  summary: string
  /** The flags that go with it. */
  options: NonNullable<Command['options']>
  /** @param context its arguments are those after the word */
  run: Command['run']
}

/** How the help names a collection. */
export const COLLECTION = '<collection>'
