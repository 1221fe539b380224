import { statSync } from 'node:fs'

/** Files that a process has open, by their names. */
export interface NamedFiles {
  /**
   * Those whose name no longer leads to the file that it named at first: what is written to such a file is lost when the
   * process ends.
   * @throws {Error} when the system does not tell
   */
  lost: () => string[]
}

/** Remembers which files the names lead to. They must stay open: the number of a closed file may go to another one. */
export function nameFiles(names: string[]): NamedFiles {
  const identities = new Map(names.map((name) => [name, identityOf(name)]))
  return { lost: () => names.filter((name) => identityOf(name) !== identities.get(name)) }
}

/** Device and number of a file; undefined when there is none. A folder of the path may be missing, too. */
function identityOf(name: string): string | undefined {
  const status = statSync(name, { bigint: true, throwIfNoEntry: false })
  return status && `${status.dev}:${status.ino}`
}
