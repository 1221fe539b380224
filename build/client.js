// Bundles the scripts for browsers (src/web/client) into dist/client. `npm ci` runs it on any Node, so it is JavaScript.
// Without esbuild (`npm ci --omit=dev`, or `--omit=optional`) it prints a warning: quirl serves its pages without the bundle.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { loadEsbuild } from './esbuild.js'

const root = new URL('../', import.meta.url)
const out = new URL('dist/client/', root)

const esbuild = await loadEsbuild()
if (esbuild === undefined) {
  console.warn('quirl: esbuild is not installed, so designs have no live preview; everything else works')
} else {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: new URL('.', root).pathname,
    entryPoints: ['src/web/client/design.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    charset: 'utf8',
    minify: true,
    write: false,
    outdir: 'dist/client',
  })
  await mkdir(out, { recursive: true })
  for (const { contents } of outputFiles) {
    // A server that starts at the same time reads the old file or the new one, never a part.
    const draft = new URL(`design.js.${process.pid}`, out)
    await writeFile(draft, contents)
    await rename(draft, new URL('design.js', out))
  }
}
