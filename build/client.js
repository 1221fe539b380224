// Bundles the islands, the scripts for browsers in src/web/client/islands, each into one file of dist/client. `build/prepare.js` runs it.
// Without esbuild (`npm ci --omit=dev`, or `--omit=optional`) it prints a warning: quirl serves its pages without the bundle.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadEsbuild } from './esbuild.js'

const root = new URL('../', import.meta.url)
const out = new URL('dist/client/', root)

/** A browser shows the details of a problem, and never its status and title: their texts would weigh as much as a feature. */
const noCatalogue = {
  name: 'no-catalogue',
  setup(build) {
    build.onLoad({ filter: /problem-catalogue\.ts$/ }, () => ({ contents: 'export const catalogue={}' }))
  },
}

/**
 * Of classes of characters, the parser of logos asks for few: for one of XML 1.1, for none of namespaces, which it does not read, and for a
 * pattern that the functions beside it say as well. The others, and how it reads namespaces, are as many bytes as a feature.
 */
const fewClasses = {
  name: 'few-classes',
  setup(build) {
    const isChar = 'c => (c >= 1 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) || (c >= 0x10000 && c <= 0x10ffff)'
    const isName = 'name !== "" && [...name].every((c, at) => (at ? isNameChar : isNameStartChar)(c.codePointAt(0)))'
    const ofNamespaces = /^function nsPairCheck\([^]*?^\}$|^ {4}processAttribsNS\([^]*?^ {4}\}$/gm
    const patterns = /^exports\.(?:CHAR|S|NAME_START_CHAR|NAME_CHAR|\w+_RE) = .+$/gm
    build.onLoad({ filter: /saxes.saxes\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(ofNamespaces, ''),
    }))
    build.onLoad({ filter: /xmlchars.xml.1\.1.ed2\.js$/ }, () => ({ contents: `exports.isChar = ${isChar}` }))
    build.onLoad({ filter: /xmlchars.xmlns.1\.0.ed3\.js$/ }, () => ({ contents: '' }))
    build.onLoad({ filter: /xmlchars.xml.1\.0.ed5\.js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8').replace(patterns, '')}\nexports.NAME_RE = { test: (name) => ${isName} }`,
    }))
  },
}

const names = readdirSync(new URL('src/web/client/islands/', root)).filter((name) => !name.endsWith('.test.ts'))

const esbuild = await loadEsbuild()
if (esbuild === undefined) {
  console.warn(
    'quirl: esbuild is not installed, so the pages have no scripts; everything works without them, but nothing is shown live',
  )
} else {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: names.map((name) => `src/web/client/islands/${name}`),
    bundle: true,
    plugins: [noCatalogue, fewClasses],
    // Beside the bundles, for those who distribute them.
    legalComments: 'external',
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    charset: 'utf8',
    minify: true,
    // Their other builds need Node's Buffer.
    alias: {
      'csv-stringify/sync': 'csv-stringify/browser/esm/sync',
      'csv-parse/sync': 'csv-parse/browser/esm/sync',
    },
    write: false,
    outdir: 'dist/client',
  })
  await mkdir(out, { recursive: true })
  for (const { path, contents } of outputFiles) {
    const name = basename(path)
    // A server that starts at the same time reads the old file or the new one, never a part.
    const draft = new URL(`${name}.${process.pid}`, out)
    await writeFile(draft, contents)
    await rename(draft, new URL(name, out))
  }
}
