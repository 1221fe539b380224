import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { languages } from './language.ts'

const folder = new URL('./', import.meta.url)

/** The texts of a module by path and language: `home.ts:title` and so on. */
async function textsOf(file: string): Promise<{ path: string; texts: Record<string, unknown> }[]> {
  const module = (await import(new URL(file, folder).href)) as Record<string, Record<string, object>>
  return Object.entries(module).flatMap(([name, byLanguage]) => {
    const paths = languages.map((language) => leaves(byLanguage[language], `${file}:${name}`))
    const all = new Set(paths.flatMap((each) => [...each.keys()]))
    return [...all].map((path) => ({
      path,
      texts: Object.fromEntries(languages.map((language, at) => [language, paths[at]?.get(path)])),
    }))
  })
}

function leaves(value: unknown, path: string): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path, value]])
  return new Map(Object.entries(value).flatMap(([key, each]) => [...leaves(each, `${path}.${key}`)]))
}

test('every text exists in every language, and none is empty', async () => {
  const files = readdirSync(folder).filter((file) => !/^language\.ts$|\.test\.ts$/.test(file))
  assert.ok(files.length > 0)
  for (const file of files) {
    for (const { path, texts } of await textsOf(file)) {
      for (const language of languages) {
        const text = texts[language]
        assert.ok(
          typeof text === 'function' || (typeof text === 'string' && text.trim() !== ''),
          `${path} in ${language}`,
        )
      }
    }
  }
})
