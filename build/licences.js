import { readdir, readFile } from 'node:fs/promises'

/**
 * Reads the licences that must be distributed with bundled packages.
 * @param {{ name: string, version: string, folder: URL }[]} packages
 */
export async function readLicences(packages) {
  const texts = packages.map(async ({ name, version, folder }) => {
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} has no licence file to distribute`)
    return `${name} ${version}\n\n${(await readFile(new URL(file, folder), 'utf8')).trim()}\n`
  })
  return (await Promise.all(texts)).join('\n\n')
}
