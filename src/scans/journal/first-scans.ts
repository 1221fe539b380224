import type { JournalWriter } from './journal-file.ts'

/** The times of the first scans in the files of this run. */
export interface FirstScans {
  /** Notes the time of the first scan that is appended to a file, which may stay empty. */
  notedIn: (writer: JournalWriter) => JournalWriter
  /** Forgets files that do not exist any more. */
  retain: (names: string[]) => void
  /** The time of the first scan in these files; one of an earlier run was created with its first scan. */
  oldest: (names: string[]) => number | undefined
}

export function createFirstScans(): FirstScans {
  let times = new Map<string, number>()
  return {
    notedIn(writer) {
      const { name, append } = writer
      times.set(name, Number.POSITIVE_INFINITY)
      let isNoted = false
      return {
        ...writer,
        append(scans) {
          append(scans)
          const [first] = scans
          if (isNoted || first === undefined) return
          times.set(name, first.at)
          isNoted = true
        },
      }
    },
    retain(names) {
      const existing = new Set(names)
      times = new Map(Array.from(times).filter(([name]) => existing.has(name)))
    },
    oldest(names) {
      const found = names.map((name) => times.get(name) ?? Number.parseInt(name, 10))
      return found.find((time) => Number.isFinite(time))
    },
  }
}
