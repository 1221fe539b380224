import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Makes a folder hold these files and no others. A server that starts meanwhile reads the whole of each, old or new.
 * @param {URL} folder
 * @param {Map<string, string | Uint8Array>} files what others import first
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
