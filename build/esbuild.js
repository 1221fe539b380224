/**
 * Imports the bundler; undefined if `npm ci --omit=dev` or `--omit=optional` did not install it.
 * @returns {Promise<typeof import('esbuild') | undefined>}
 */
export async function loadEsbuild() {
  try {
    const esbuild = await import('esbuild')
    // Its binary is an optional dependency, which `--omit=optional` does not install.
    await esbuild.transform('')
    return esbuild
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    if (error instanceof Error && error.message.includes('could not be found, and is needed by esbuild'))
      return undefined
    throw error
  }
}
