import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Replaces the files of a folder. A server that starts at the same time reads each file old or new, never a part.
 * @param {URL} folder
 * @param {Map<string, string | Uint8Array>} files each file after those that it imports
 */
export async function writeFiles(folder, files) {
  await mkdir(folder, { recursive: true })
  const draft = pathToFileURL(`${await mkdtemp(fileURLToPath(folder).replace(/[\\/]$/, '-'))}/`)
  try {
    for (const [name, content] of files) {
      await mkdir(new URL('.', new URL(name, folder)), { recursive: true })
      const written = new URL(name.replaceAll('/', ' '), draft)
      await writeFile(written, content)
      await rename(written, new URL(name, folder))
    }
  } finally {
    await rm(draft, { recursive: true })
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = pathToFileURL(`${entry.parentPath}/${entry.name}`).href
    if (!files.has(decodeURIComponent(path.slice(folder.href.length)))) await rm(new URL(path), { force: true })
  }
}
