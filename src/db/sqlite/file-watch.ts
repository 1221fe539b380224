import type { DatabaseSync } from 'node:sqlite'
import { openFilesOf, type OpenFiles } from './open-files.ts'
import type { Sessions } from './sessions.ts'
import type { WritingSession } from './writing-session.ts'

/** How often the names of the files are confirmed while nothing is changed. */
const CONFIRM_MS = 1000

/** Confirms that the files of a store are where they were opened. */
export interface FileWatch {
  /** As for `OpenFiles`; confirms nothing before `watch`. */
  confirm: OpenFiles['confirm']
  /** Begins when all connections are open; from then on the session that writes ends when a file has lost its name. */
  watch: (writing: Sessions<WritingSession>) => Sessions<WritingSession>
}

/** @param onReplaced called with the error each time that a file is not there */
export function createFileWatch(file: string, onReplaced: (error: unknown) => void): FileWatch {
  let files: OpenFiles | undefined
  return {
    confirm(connection?: DatabaseSync) {
      try {
        files?.confirm(connection)
      } catch (error) {
        onReplaced(error)
        throw error
      }
    },
    watch(writing) {
      files = openFilesOf(file)
      const timer = setInterval(() => {
        if (writing.isOpen()) writing.current().confirm()
      }, CONFIRM_MS).unref()
      return {
        ...writing,
        close() {
          clearInterval(timer)
          return writing.close()
        },
      }
    },
  }
}
