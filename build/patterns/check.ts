import type { Allowed } from './allowed.ts'
import { patternsIn } from './find.ts'
import { faultOf } from './judge.ts'

/** A module of the program, by its path below the root. */
export interface Module {
  file: string
  code: string
}

/**
 * Checks every regular expression of the modules.
 * @param read reads a module that one of them imports, by its path
 * @returns one line for each fault
 */
export function checkPatterns(
  modules: readonly Module[],
  allowed: readonly Allowed[],
  read: (path: string) => string,
  root = '/',
): string[] {
  const judged = new Map<string, string | undefined>()
  const judge = (source: string, flags: string) => {
    const key = `/${source}/${flags}`
    if (!judged.has(key)) judged.set(key, faultOf(source, flags))
    return judged.get(key)
  }
  const used = new Set<Allowed>()
  const faults: string[] = []
  for (const { file, code } of modules) {
    for (const { line, source, flags, isConstant } of patternsIn(code, root + file, read)) {
      const fault = isConstant ? judge(source, flags) : 'is not constant, so it cannot be checked'
      if (fault === undefined) continue
      const exception = allowed.find((each) => each.file === file && each.source === source)
      if (exception === undefined) faults.push(`${file}:${line}: /${source}/${flags} ${fault}`)
      else used.add(exception)
    }
  }
  const unused = allowed.filter((each) => !used.has(each))
  return [
    ...faults,
    ...unused.map(
      ({ file, source }) => `${file}: the exception for /${source}/ is not needed: remove it from the list`,
    ),
  ]
}
