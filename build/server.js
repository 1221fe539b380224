// Bundles the server into dist/server: a few files instead of some 900 that Node would resolve, strip of types and link at
// each start (docs/adr/0034-one-bundle.md). `build/prepare.js` runs it. Without esbuild a
// checkout runs its sources.
import { readdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import * as http from 'node:http'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadEsbuild } from './esbuild.js'
import { readLicences } from './licences.js'
import { listImports } from './packages-state.js'
import { digestSources, serverFolder, stateFile, versionOf } from './server-state.js'
import { writeFiles } from './write-files.js'

const root = new URL('../', import.meta.url)
const cwd = fileURLToPath(root)
const assets = new URL('src/styles/assets/', root)
const letters = new URL('src/qr/design/', root)
const fonts = new URL('src/qr/print/fonts/', root)

/** They publish no licence file to distribute with the bundle, as packages that `pg` and fontkit need; only nodes on PostgreSQL, and pages to print, load those. */
const unbundled = ['@resvg/resvg-wasm', 'abstract-logging', 'fontkit', 'pg', 'saxes']

/** An import of `node:http` reads all its exports, some of which load an HTTP client and WebSockets (40 ms). */
const leanHttp = {
  name: 'lean-http',
  setup(build) {
    const costly = new Set(['WebSocket', 'CloseEvent', 'MessageEvent'])
    const lines = Object.keys(http)
      .filter((name) => name !== 'default' && !costly.has(name))
      .map((name) => `export const ${name} = http.${name}`)
    build.onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'lean-http', sideEffects: false } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'lean-http' }, () => ({
      contents: ["const http = process.getBuiltinModule('node:http')", ...lines].join('\n'),
    }))
  },
}

/**
 * What is bundled together: the program with the client that other programs import, and each thread by itself, because one file
 * loads in half the time of the many parts that it would share with the program, and a thread starts more than once.
 */
function listBundles() {
  const files = readdirSync(new URL('src/', root), { recursive: true }).map((file) => file.replaceAll('\\', '/'))
  const threads = files.filter((file) => file.endsWith('-thread.ts') && !file.startsWith('lib/'))
  const entryOf = (file) => ({ in: `src/${file}`, out: basename(file, '.ts') })
  return [['main.ts', 'client/client.ts'], ...threads.map((file) => [file])].map((entries) => entries.map(entryOf))
}

function packageOf(input) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]
}

/** @returns the files of a bundle, and the paths of its sources */
async function bundleEntries(esbuild, entryPoints) {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: cwd,
    entryPoints,
    alias: Object.fromEntries(listImports().map(({ name, module }) => [name, module])),
    plugins: [leanHttp],
    external: unbundled,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24.12',
    charset: 'utf8',
    // CommonJS packages require Node's built-in modules.
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)" },
    metafile: true,
    write: false,
    outdir: fileURLToPath(serverFolder),
  })
  return { outputFiles, inputs: Object.keys(metafile.inputs) }
}

async function bundle(esbuild) {
  const sources = digestSources()
  const bundles = await Promise.all(listBundles().map((entries) => bundleEntries(esbuild, entries)))
  const inputs = bundles.flatMap((each) => each.inputs)
  const folders = [...new Set(inputs.flatMap((input) => packageOf(input) ?? []))].sort()
  const packages = folders.map((folder) => ({ folder, version: versionOf(folder) }))
  const licences = packages.map(({ folder, version }) => ({
    name: folder.split('node_modules/').at(-1),
    version,
    folder: new URL(`${folder}/`, root),
  }))
  // Shared chunks have a digest in their names and come first, before the entries that import them.
  const outputs = bundles.flatMap(({ outputFiles }) =>
    outputFiles.map(({ path, contents }) => [basename(path), contents]),
  )
  const isShared = ([name]) => Number(/-[A-Z\d]{8}\.js$/.test(name))
  const files = new Map(outputs.toSorted((a, b) => isShared(b) - isShared(a)))
  for (const name of readdirSync(assets)) files.set(`assets/${name}`, await readFile(new URL(name, assets)))
  for (const name of ['letters.txt', 'letters-LICENSE.txt'])
    files.set(`design/${name}`, await readFile(new URL(name, letters)))
  for (const name of readdirSync(fonts)) files.set(`fonts/${name}`, await readFile(new URL(name, fonts)))
  files.set('LICENSES', await readLicences(licences))
  const made = Object.fromEntries(packages.map(({ folder, version }) => [folder, version]))
  files.set(stateFile, `${JSON.stringify({ sources, packages: made }, undefined, 2)}\n`)
  return files
}

const esbuild = await loadEsbuild()
if (esbuild === undefined) await rm(serverFolder, { recursive: true, force: true })
else await writeFiles(serverFolder, await bundle(esbuild))
