import { MAX_FILE, readFile, type LinkFault, type ReadFile } from '../my-links/kept-links.ts'

/** What a chosen file holds; undefined when none was chosen. A file that is too large is not read. */
export async function readChosenLinks(
  file: File | undefined,
): Promise<ReadFile | { fault: 'unreadable'; entry?: number; field?: LinkFault } | undefined> {
  if (file === undefined) return undefined
  if (file.size > MAX_FILE) return { fault: 'too_large' }
  try {
    return readFile(await file.text())
  } catch {
    return { fault: 'unreadable' }
  }
}
