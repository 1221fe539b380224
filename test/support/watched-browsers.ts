import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { launchChromium } from './browser.ts'
import { temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { PATIENCE_MS } from './poll.ts'

/** A window of a browser, in which scripts run, that records what no page may do. */
export interface WatchedWindow {
  open: (url: string) => Promise<void>
  /** Submits the first form of the page with these values, whatever its inputs allow. */
  submit: (values: Record<string, string>) => Promise<void>
  /** Evaluates an expression in the page. */
  evaluate: <T>(expression: string) => Promise<T>
  /** Dialogs, violations of the page's policy, and requests to other origins so far; clears them. */
  takeViolations: () => string[]
}

/** Runs before the scripts of each page: a policy that had to stop something means that something was there. */
const listen = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  // Which Firefox looks for by itself.
  if (blockedURI !== location.origin + '/favicon.ico') console.warn('policy stopped ' + violatedDirective + ' ' + blockedURI)
})`

const submitting = (values: Record<string, string>) => `{
  const form = document.forms[0]
  for (const [name, value] of Object.entries(${JSON.stringify(values)})) {
    const field = form.elements[name]?.[0] ?? form.elements[name]
    // A button is not sent by a submission without one.
    if (field && field.tagName !== 'BUTTON') field.value = value
    else form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
  }
  form.noValidate = true
  HTMLFormElement.prototype.submit.call(form)
}`

const isElsewhere = (url: string, origin: string) => /^https?:/.test(url) && !url.startsWith(`${origin}/`)

export async function openChromium(t: Ending, origin: string): Promise<WatchedWindow> {
  const browser = await launchChromium()
  undoLater(t, () => browser.close())
  const context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  const violations: string[] = []
  await context.addInitScript(listen)
  context.on('dialog', (dialog) => {
    violations.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    if (isElsewhere(request.url(), origin)) violations.push(`request: ${request.url()}`)
  })
  context.on('console', (message) => {
    if (message.text().startsWith('policy stopped')) violations.push(message.text())
  })
  const page = await context.newPage()
  return {
    open: async (url) => void (await page.goto(url)),
    async submit(values) {
      const loaded = page.waitForEvent('load')
      await page.evaluate(submitting(values))
      await loaded
    },
    evaluate: (expression) => page.evaluate(expression),
    takeViolations: () => violations.splice(0),
  }
}

/** Nothing leaves the machine, and the browser does nothing of its own accord. */
const preferences = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'network.proxy.no_proxies_on': '127.0.0.1',
  'network.proxy.allow_hijacking_localhost': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'app.update.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'toolkit.telemetry.enabled': false,
  'remote.active-protocols': 1,
}

/** Debian's Firefox, by WebDriver BiDi (W3C), which Node's own WebSocket speaks: Playwright needs a Firefox of its own. */
export async function openFirefox(t: Ending, origin: string): Promise<WatchedWindow> {
  const { send, on } = await startFirefox(t)
  const violations: string[] = []
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {})
  const context = contexts[0]?.context
  await send('session.subscribe', {
    events: ['browsingContext.userPromptOpened', 'browsingContext.load', 'network.beforeRequestSent', 'log.entryAdded'],
  })
  await send('script.addPreloadScript', { functionDeclaration: `() => { ${listen} }` })
  on('browsingContext.userPromptOpened', ({ message }) => void violations.push(`dialog: ${String(message)}`))
  on('network.beforeRequestSent', ({ request }) => {
    const { url } = request as { url: string }
    if (isElsewhere(url, origin)) violations.push(`request: ${url}`)
  })
  on('log.entryAdded', ({ text }) => {
    if (String(text).startsWith('policy stopped')) violations.push(String(text))
  })
  const run = (expression: string) =>
    send<{ result?: { value?: string }; exceptionDetails?: { text: string } }>('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: true,
    })
  return {
    open: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    async submit(values) {
      const loaded = new Promise<void>((resolve) => on('browsingContext.load', () => resolve()))
      await run(submitting(values))
      await loaded
    },
    async evaluate<T>(expression: string) {
      const { result, exceptionDetails } = await run(`JSON.stringify(${expression})`)
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
      return (result?.value === undefined ? undefined : JSON.parse(result.value)) as T
    },
    takeViolations: () => violations.splice(0),
  }
}

type Listener = (parameters: Record<string, unknown>) => void

async function startFirefox(t: Ending) {
  const profile = temporaryFolder(t)
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`)
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const firefox = spawn(
    'firefox-esr',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, MOZ_DISABLE_AUTO_SAFE_MODE: '1' } },
  )
  undoLater(t, async () => {
    const ended = once(firefox, 'exit')
    if (firefox.exitCode === null && firefox.kill()) await ended
  })
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(firefox.stderr).on('line', (line) => {
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? []
      if (found !== undefined) resolve(found)
    })
    firefox.once('exit', () => reject(new Error('Firefox has ended')))
    firefox.once('error', reject)
  })
  const socket = new WebSocket(`${address}/session`)
  undoLater(t, () => socket.close())
  await once(socket, 'open')
  const client = speakBidi(socket)
  await client.send('session.new', {
    capabilities: { alwaysMatch: { unhandledPromptBehavior: { default: 'dismiss' } } },
  })
  return client
}

/** The response to a command, which has its id, or an event, which has a method. */
interface BidiMessage {
  id?: number | null
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: string
  message?: string
}

/** Commands and events of WebDriver BiDi. */
function speakBidi(socket: WebSocket) {
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  const listeners: [event: string, Listener][] = []
  let last = 0
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data as string) as BidiMessage
    const { id, method, params, result, error } = message
    const command = waiting.get(id ?? 0)
    if (command === undefined) {
      for (const [event, listener] of listeners) if (event === method) listener(params ?? {})
      return
    }
    waiting.delete(id ?? 0)
    if (error === undefined) command.resolve(result as never)
    else command.reject(new Error(`${error}: ${message.message}`))
  })
  return {
    send: <T>(method: string, parameters: object): Promise<T> => {
      const id = ++last
      socket.send(JSON.stringify({ id, method, params: parameters }))
      return new Promise<T>((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
    on: (event: string, listener: Listener) => void listeners.push([event, listener]),
  }
}
