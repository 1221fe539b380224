// Bundles what runs in browsers (src/web/client) into dist/client. Part of `npm ci`, so in JavaScript, which any Node
// can run. Without esbuild (`npm ci --omit=dev`, or `--omit=optional`) it says so and leaves: quirl serves its pages without the bundle.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { loadEsbuild } from './esbuild.js'

const root = new URL('../', import.meta.url)
const out = new URL('dist/client/', root)

const esbuild = await loadEsbuild()
if (esbuild === undefined) {
  console.warn('quirl: esbuild is not installed, so that designs have no live preview; everything else works')
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
    // A server that starts meanwhile reads the whole of one or of the other.
    const draft = new URL(`design.js.${process.pid}`, out)
    await writeFile(draft, contents)
    await rename(draft, new URL('design.js', out))
  }
}
