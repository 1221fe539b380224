import { kinds } from '../../src/links/kinds/index.ts'
import type { Kind, KindFile } from '../../src/links/kinds/kind.ts'

/** The kinds whose links have a file. */
export const kindsWithFile = kinds.filter((kind): kind is Kind & { file: KindFile } => kind.file !== undefined)

/** What follows a code in the addresses of all files. */
export const fileEndings = kindsWithFile.map(({ file }) => `.${file.extension}`)

/** The body that creates a link of a kind with a value in each field. */
export function bodyOf({ name, sample }: Kind): Record<string, unknown> {
  return { kind: name, ...sample }
}

/** What the inputs of a kind's form have for those fields. */
export function inputsOf({ reading, sample }: Kind): Record<string, unknown> {
  return reading?.toInputs(sample) ?? sample
}
