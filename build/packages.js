// Bundles packages of hundreds of modules into a few files, dist/packages, which tests and edited sources load instead
// (docs/adr/0029-fewer-modules.md). `build/prepare.js` runs it, and a start of changed sources. Without esbuild the files
// re-export the packages: everything works, but starts more slowly.
import { fileURLToPath } from 'node:url'
import { loadEsbuild } from './esbuild.js'
import { readLicences } from './licences.js'
import { describeState, listImports, listPackages, packagesFolder, stateFile } from './packages-state.js'
import { writeFiles } from './write-files.js'

/** @returns {Promise<Map<string, string>>} each file's name and content; a file comes after those that it imports */
async function bundle() {
  const esbuild = await loadEsbuild()
  if (esbuild === undefined) {
    console.warn('quirl: esbuild is not installed, so quirl starts more slowly; everything works')
    return new Map(listImports().map(({ module, file }) => [file, `export * from '${module}'\n`]))
  }
  const { outputFiles } = await esbuild.build({
    absWorkingDir: fileURLToPath(new URL('../', import.meta.url)),
    entryPoints: listImports().map(({ module, file }) => ({ in: module, out: file.slice(0, -'.js'.length) })),
    bundle: true,
    // Modules that two of the files share, such as TypeBox's settings, must exist once.
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

const files = await bundle()
files.set('LICENSES', await readLicences(listPackages()))
files.set(stateFile, describeState())
await writeFiles(packagesFolder, files)
