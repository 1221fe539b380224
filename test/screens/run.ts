// Makes an image of every state of every page, in both themes and at two sizes: `npm run screens [name…]`. The images are
// in `screens/`, which git ignores.
import { mkdirSync, readdirSync } from 'node:fs'
import { chromium, type BrowserContext } from 'playwright-core'
import { chromiumArguments } from '../support/browser.ts'
import type { Ending } from '../support/cleanup.ts'
import { startServer } from '../support/server.ts'
import type { Screen, Site } from './screen.ts'

const folder = new URL('../../screens/', import.meta.url)
const sizes = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } }
const themes = ['light', 'dark'] as const

const works: (() => Promise<void> | void)[] = []
const end: Ending = { after: (work) => void works.push(work) }
try {
  await run(process.argv.slice(2))
} finally {
  for (const work of works.toReversed()) await work()
}

/** @param wanted parts of the names of the screens; all of them when there are none */
async function run(wanted: string[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const server = await startServer(end)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: chromiumArguments })
  end.after(() => browser.close())
  const all = await readScreens()
  const chosen = all.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await browser.newContext({ viewport, locale: 'en-GB', timezoneId: 'Europe/Berlin' })
    for (const screen of chosen) await show(screen, size, context, { url: server.url, server })
    await context.close()
  }
  console.log(`${chosen.length} screens, ${chosen.length * 4} images in ${folder.pathname}`)
}

async function readScreens(): Promise<Screen[]> {
  const files = readdirSync(new URL('./', import.meta.url)).filter((file) => !/^(?:run|screen)\.ts$/.test(file))
  const modules = (await Promise.all(files.map((file) => import(`./${file}`)))) as { screens: Screen[] }[]
  return modules.flatMap(({ screens }) => screens)
}

async function show({ name, open }: Screen, size: string, context: BrowserContext, site: Site): Promise<void> {
  const page = await context.newPage()
  try {
    await open(page, site)
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      const path = new URL(`${name}-${size}-${colorScheme}.png`, folder).pathname
      await page.screenshot({ path, fullPage: true, animations: 'disabled' })
    }
  } catch (error) {
    console.error(`${name} (${size}): ${String(error)}`)
    process.exitCode = 1
  }
  await page.close()
}
