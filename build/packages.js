// Bundles packages of hundreds of modules into a few files, dist/packages, which are loaded at start in their stead
// (docs/adr/0029-fewer-modules.md). Part of `npm ci`, so in JavaScript, which any Node can run. Without esbuild the files
// only name the packages: everything works, and starts more slowly.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { loadEsbuild } from './esbuild.js'
import { describeState, listImports, listPackages, packagesFolder, stateFile } from './packages-state.js'

/** @returns {Promise<Map<string, string>>} each file's name and content, what others import first */
async function bundle() {
  const esbuild = await loadEsbuild()
  if (esbuild === undefined) {
    console.warn('quirl: esbuild is not installed, so that quirl starts more slowly; everything works')
    return new Map(listImports().map(({ module, file }) => [file, `export * from '${module}'\n`]))
  }
  const { outputFiles } = await esbuild.build({
    absWorkingDir: fileURLToPath(new URL('../', import.meta.url)),
    entryPoints: listImports().map(({ module, file }) => ({ in: module, out: file.slice(0, -'.js'.length) })),
    bundle: true,
    // What two of the files share, such as TypeBox's settings, is there once.
    splitting: true,
    chunkNames: 'shared-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node24.12',
    charset: 'utf8',
    write: false,
    outdir: fileURLToPath(packagesFolder),
  })
  const files = outputFiles.map(({ path, text }) => [path.split(/[\\/]/).at(-1), text])
  return new Map(files.toSorted(([a], [b]) => Number(b.startsWith('shared-')) - Number(a.startsWith('shared-'))))
}

async function readLicences() {
  const texts = listPackages().map(async ({ name, folder, version }) => {
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} has no licence that could be kept`)
    return `${name} ${version}\n\n${(await readFile(new URL(file, folder), 'utf8')).trim()}\n`
  })
  return (await Promise.all(texts)).join('\n\n')
}

const files = await bundle()
files.set('LICENSES', await readLicences())
files.set(stateFile, describeState())
await mkdir(packagesFolder, { recursive: true })
// A server that starts meanwhile reads the whole of a file, old or new.
const draft = pathToFileURL(`${await mkdtemp(fileURLToPath(new URL('../packages-', packagesFolder)))}/`)
try {
  for (const [name, content] of files) {
    await writeFile(new URL(name, draft), content)
    await rename(new URL(name, draft), new URL(name, packagesFolder))
  }
} finally {
  await rm(draft, { recursive: true })
}
for (const name of await readdir(packagesFolder))
  if (!files.has(name)) await rm(new URL(name, packagesFolder), { force: true })
