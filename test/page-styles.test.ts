// A page loads the stylesheets of what it shows, and no others.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { stylesheets } from '../src/styles/stylesheets.ts'
import { endOfFile } from './support/cleanup.ts'
import { seedPages, type SeededPages } from './support/every-page.ts'

const end = endOfFile()
let pages: SeededPages
before(async () => void (pages = await seedPages(end)))

/** The classes of a page, or those that a stylesheet names. */
const classesOf = (html: string) =>
  new Set(Array.from(html.matchAll(/ class="([^"]+)"/g)).flatMap(([, names = '']) => names.split(' ')))
const namedIn = (css: string) => new Set(Array.from(css.matchAll(/\.([a-z][\w-]*)/g), ([, name = '']) => name))

const sheets = Object.values(stylesheets).map(({ path, content }) => ({ path, named: namedIn(content.toString()) }))

/** What a page uses of stylesheets that it does not load. */
function unstyled(html: string): string[] {
  const isLoaded = ({ path }: { path: string }) => html.includes(`href="${path}"`)
  const loaded = sheets.filter(isLoaded)
  const missing = sheets.filter((sheet) => !isLoaded(sheet))
  return [...classesOf(html)].filter(
    (name) => missing.some(({ named }) => named.has(name)) && !loaded.some(({ named }) => named.has(name)),
  )
}

test('each page loads a stylesheet for each class that has a style, and at most one besides that of all pages', async () => {
  const { server, addresses, visits, forms } = pages
  const ask = (path: string, form?: Record<string, string>) =>
    fetch(`${server.url}${path}`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
  const answers: [string, string][] = []
  for (const [path] of [...addresses, ...visits]) answers.push([path, await (await ask(path)).text()])
  for (const { name, send } of forms) answers.push([name, await (await send(ask)).text()])
  for (const [name, text] of answers) {
    assert.deepEqual(unstyled(text), [], name)
    assert.ok(text.split('rel="stylesheet"').length <= 3, name)
  }
  assert.ok(answers.some(([, text]) => text.includes('rel="stylesheet"')))
})
