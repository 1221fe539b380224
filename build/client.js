// Bundles what runs in browsers (src/web/client) into dist/client. Part of `npm ci`, so in JavaScript, which any Node
// can run. Without esbuild (`npm ci --omit=dev`, or `--omit=optional`) it says so and leaves: quirl serves its pages without the bundle.
import { mkdir, rename, writeFile } from 'node:fs/promises'

const root = new URL('../', import.meta.url)
const out = new URL('dist/client/', root)

/** @returns {Promise<typeof import('esbuild') | undefined>} */
async function loadEsbuild() {
  try {
    const esbuild = await import('esbuild')
    // Its program is an optional dependency, which `--omit=optional` leaves out.
    await esbuild.transform('')
    return esbuild
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    if (error instanceof Error && error.message.includes('could not be found, and is needed by esbuild'))
      return undefined
    throw error
  }
}

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
