import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  type Locator,
  type Page,
} from 'playwright-core'
import { undoLater, type Ending } from './cleanup.ts'
import { PATIENCE_MS, poll } from './poll.ts'
import { requireProgram } from './programs.ts'

export const chromiumArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Whatever a page requests, nothing leaves the machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

export function launchChromium(more: string[] = []): Promise<Browser> {
  const args = [...chromiumArguments, ...more]
  return chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args, timeout: PATIENCE_MS })
}

/**
 * Opens a window for a test, and fails the test if a page in it did anything that `watch` records. A test that has a server
 * of its own names its origin, and gets a window of its own.
 */
export type OpenWindow = (t: TestContext, options: { scripts: boolean; origin?: string }) => Promise<Page>

/** One Chromium per process, launched by the first test that opens a window. */
let launching: Promise<Browser> | undefined

/**
 * Windows for a whole test file, of the Chromium without a user interface, which takes half the CPU time of the other.
 * Opening a window costs more than most tests, so the tests share two, one with scripts and one without; only a failed
 * test's window is closed.
 * @param more arguments of a Chromium of their own
 */
export function sharedWindows(end: Ending, origin: () => string, more?: () => string[]): OpenWindow {
  let own: Promise<Browser> | undefined
  const browser = () => (more === undefined ? (launching ??= launchChromium()) : (own ??= launchChromium(more())))
  const windows = new Map<boolean, { page: Page; takeViolations: () => string[] }>()

  async function newWindow(scripts: boolean, allowedOrigin: string) {
    const context = await (await browser()).newContext({ javaScriptEnabled: scripts })
    context.setDefaultTimeout(PATIENCE_MS)
    return { takeViolations: watch(context, allowedOrigin), page: await context.newPage() }
  }

  async function sharedWindow(scripts: boolean) {
    const window = windows.get(scripts) ?? (await newWindow(scripts, origin()))
    windows.set(scripts, window)
    return window
  }

  end.after(async () => {
    for (const launched of [launching, own]) await (await launched)?.close()
  })
  return async (t, { scripts, origin: ownOrigin }) => {
    const isShared = ownOrigin === undefined
    const { page, takeViolations } = await (isShared ? sharedWindow(scripts) : newWindow(scripts, ownOrigin))
    undoLater(t, async () => {
      if (isShared && !t.passed) windows.delete(scripts)
      if (!isShared || !t.passed) await page.context().close()
      assert.deepEqual(takeViolations(), [])
    })
    return page
  }
}

/**
 * Records whatever no page may do: send a request to another host, log an error or a warning (about the
 * Content-Security-Policy, for example), throw, or open a dialog. An error response for a document or for the live preview
 * does not count, although Chromium logs it as an error.
 * @returns returns the records so far, and clears them
 */
function watch(context: BrowserContext, origin: string): () => string[] {
  const violations: { text: string; url?: string }[] = []
  const failedDocuments = new Set<string>()
  // The page itself shows a message for failures of these requests.
  const isHandled = (url: string) =>
    url.endsWith('/api/qr?report=true') ||
    url.endsWith('.txt') ||
    url.endsWith('/stream') ||
    /\/api\/(?:bulk(?:\?dry_run=true)?|collections(?:\/links)?)$/.test(url) ||
    /\/print\?/.test(url)
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) violations.push({ text: `requested ${request.url()}` })
  })
  context.on('response', (response) => {
    if (response.status() < 400) return
    if (response.request().isNavigationRequest() || isHandled(response.url()))
      failedDocuments.add(response.url().replace(/#.*/, ''))
  })
  context.on('requestfailed', (request) => {
    if (isHandled(request.url())) failedDocuments.add(request.url())
  })
  context.on('console', (message) => {
    if (!isFault(message)) return
    const isFailedLoad = message.text().startsWith('Failed to load resource')
    violations.push({ text: `logged ${message.text()}`, ...(isFailedLoad && { url: message.location().url }) })
  })
  context.on('weberror', (error) => violations.push({ text: `threw ${error.error().message}` }))
  context.on('dialog', (dialog) => {
    // A page may warn before it is left.
    if (dialog.type() === 'beforeunload') return void dialog.accept()
    violations.push({ text: `opened a dialog: ${dialog.message()}` })
    void dialog.dismiss()
  })
  return () =>
    violations
      .splice(0)
      .filter(({ url }) => url === undefined || !failedDocuments.has(url.replace(/#.*/, '')))
      .map(({ text, url = '' }) => `${text} ${url}`)
}

/** Whether a page should not log this. */
export function isFault(message: ConsoleMessage): boolean {
  return ['error', 'warning', 'assert'].includes(message.type())
}

/** Presses a button that submits a form, waits for the next page, and returns its status. */
export async function press(page: Page, button: string): Promise<number> {
  const answered = page.waitForResponse(
    (response) => response.request().isNavigationRequest() && (response.status() < 300 || response.status() >= 400),
  )
  const loaded = page.waitForEvent('load')
  await page.getByRole('button', { name: button, exact: true }).click()
  const [response] = await Promise.all([answered, loaded])
  return response.status()
}

/** Clicks on what leads to another page, and waits for that: until then, what is read would be of the page before. */
export async function follow(page: Page, link: Locator): Promise<void> {
  await Promise.all([page.waitForEvent('load'), link.click()])
}

/** Input for a form: a text for each field of that name. */
export type Typing = Record<string, string | string[]>

/** Types into the fields of these names, after unfolding what they are in. */
export async function type(page: Page, typing: Typing): Promise<void> {
  for (const [name, texts] of Object.entries(typing)) {
    for (const [at, text] of [texts].flat().entries()) {
      const field = page.locator(`form [name="${name}"]`).nth(at)
      const folded = field.locator('xpath=ancestor::details[not(@open)]/summary')
      while ((await folded.count()) > 0) await folded.first().click()
      await field.fill(text)
    }
  }
}

/** Sets the values of the first form by script, ignoring the constraints of its fields. */
export async function force(page: Page, typing: Typing): Promise<void> {
  await page.evaluate(
    `{
      document.forms[0].noValidate = true
      for (const [name, texts] of Object.entries(${JSON.stringify(typing)})) {
        for (const [at, text] of [texts].flat().entries()) document.querySelectorAll(\`form [name="\${name}"]\`)[at].value = text
      }
    }`,
  )
}

/** The values of the first visible form of the page, of all fields that are not empty; colours are never empty. */
export async function typed(page: Page): Promise<Typing> {
  const pairs = await page.evaluate<[string, string][]>(
    `[...[...document.forms].find((form) => form.checkVisibility()).elements]
      .filter((field) => field.name && !['hidden', 'color'].includes(field.type) && field.value)
      .map((field) => [field.name, field.value])`,
  )
  const byName = Map.groupBy(pairs, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, same]) => {
      const texts = same.map(([, text]) => text)
      return [name, texts.length === 1 ? (texts[0] ?? '') : texts]
    }),
  )
}

/**
 * Waits until an expression is true in the page. `page.waitForFunction` would compile the expression in the page once it was
 * false, which the page's policy forbids.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await poll(
    async () => Boolean(await page.evaluate(expression)),
    () => expression,
  )
}

/** Waits until the field of this name, or the element of this role, has the focus: a browser focuses `autofocus` some time after the load. */
export async function focusOn(page: Page, nameOrRole: string): Promise<void> {
  await page.locator(`[name="${nameOrRole}"]:focus, [role="${nameOrRole}"]:focus`).waitFor({ state: 'attached' })
}

/** The vertical distance between a text and a field, in pixels; 0 when they touch or overlap. */
export async function distance(page: Page, text: RegExp, field: string): Promise<number> {
  const [a, b] = [
    await page.getByText(text).boundingBox(),
    await page.locator(`form [name="${field}"]`).first().boundingBox(),
  ]
  assert.ok(a && b, `both ${text} and ${field} are shown`)
  return Math.max(0, a.y - (b.y + b.height), b.y - (a.y + a.height))
}

const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

interface AxeResult {
  id: string
  nodes: { target?: string[]; failureSummary: string }[]
}

/**
 * The violations that axe (its rules for WCAG 2 A and AA, and its best practices) finds in the page, in its light and its dark
 * colours, and what it could not decide. The window must have scripts on; the page's policy does not apply to scripts of the test.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Compiling it takes as long as running it, so that each document compiles it once.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource)
  const find = (options: object) =>
    page.evaluate<AxeResult[]>(
      `axe.run(document, { resultTypes: ['violations', 'incomplete'], ...${JSON.stringify(options)} })
        .then(({ violations, incomplete }) => [...violations, ...incomplete])`,
    )
  const run = async (options: object) => {
    // Writing a selector of each element takes a fifth of the time, and only faults are described by it.
    const found = await find({ ...options, selectors: false })
    if (found.length === 0) return []
    const described = await find(options)
    const results = described.length > 0 ? described : found
    return results.flatMap(({ id, nodes }) =>
      nodes.map(({ target = [], failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    )
  }
  const faults = await run({})
  await page.emulateMedia({ colorScheme: 'dark' })
  const darkFaults = await run({ runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...faults, ...darkFaults.map((fault) => `in the dark, ${fault}`)]
}

/** Returns a function that declares a test in a window; without scripts unless it asks for them, as no page may need them. */
export function testsIn(openWindow: ReturnType<typeof sharedWindows>) {
  return (
    name: string,
    run: (page: Page, t: TestContext) => Promise<void>,
    { scripts = false }: { scripts?: boolean } = {},
  ): void => {
    test(name, async (t) => {
      if (!requireProgram(t, 'chromium-headless-shell', 'chromium-headless-shell')) return
      await run(await openWindow(t, { scripts }), t)
    })
  }
}
