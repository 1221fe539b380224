import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino, type Logger } from 'pino'
import { createAsk } from './admin/client.ts'
import type { Verdict } from './cli/command.ts'
import { commands } from './cli/commands.ts'
import { commandHelp, helpText } from './cli/help.ts'
import { readConfig, type Config } from './config/config.ts'
import type { Deps } from './deps.ts'
import { listenOften } from './http/listeners.ts'
import { letV8GiveWay } from './lib/background-thread.ts'
import { createClosing } from './lib/closing.ts'
import { createLogLines } from './lib/log-lines.ts'
import { lineOf, StartError } from './lib/start-error.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

// Docker and systemd's usual settings wait for 10 seconds and more before they kill.
/** How long requests that run may go on after the signal to stop. */
const DRAIN_MS = 5_000
const SWEEP_MS = 100
/** How long connections may take to go once they have been cut. */
const CUT_MS = 500
/** How long the whole stop may take. What is answered is kept already, whatever is still open then. */
const STOP_MS = 7_500

/** How long the end of the process waits for whoever reads the log. */
const LAST_LINES_MS = 500

/** What the process prints, and its exit status. */
export interface Outcome {
  status: number
  stdout: string
  stderr: string
}

/** The process: configuration, dependencies, listen, drain. */
export async function main(args: string[]): Promise<void> {
  const { status, stdout, stderr } = await outcomeOf(args)
  if (stdout !== '') process.stdout.once('error', cannotPrint).write(stdout)
  if (stderr !== '') process.stderr.write(stderr)
  if (status !== 0) process.exitCode = status
}

/** Does what the command line asks; of a service that is started, nothing is left to print. */
export async function outcomeOf(args: string[]): Promise<Outcome> {
  try {
    const printed = (await run(args)) ?? ''
    const { text, status } = typeof printed === 'string' ? { text: printed, status: 0 } : printed
    return { status, stdout: text === '' || text.endsWith('\n') ? text : `${text}\n`, stderr: '' }
  } catch (error) {
    const line = lineOf(error)
    if (line === undefined) throw error
    return { status: 1, stdout: '', stderr: `quirl: ${line}\n` }
  }
}

/** Whoever reads what is printed may stop reading, as `head` does: then there is nobody to tell. */
function cannotPrint(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.stderr.write(`quirl: cannot print: ${error.message}\n`)
  process.exitCode = 1
}

/** Answers what is to be printed, if the work has not printed it. */
async function run(args: string[]): Promise<string | Verdict | undefined> {
  const asked = readConfig(args, process.env, undefined, commands)
  switch (asked.run) {
    case 'help':
      return asked.command === undefined ? helpText(commands) : commandHelp(asked.command)
    case 'version':
      return manifest.version
    case 'serve':
      return serve(asked.config)
    case 'command': {
      const { command, words, flags, config } = asked
      const { dataDir } = config
      return command.run({ words, flags, dataDir, version: manifest.version, ask: createAsk(dataDir) })
    }
  }
}

async function serve(config: Config): Promise<undefined> {
  // What is kept holds private keys of certificates, the day's salt, and what owners wrote for themselves.
  process.umask(0o077)
  letV8GiveWay()
  const mayLeave = leaveOnSignal()
  const log = openLog()
  const closing = createClosing((error, name) => log.error({ err: error }, `${name} could not be closed`))
  let port = config.port
  try {
    // Loaded here, because no command needs them: loading them takes longer than most commands do.
    const [{ openDeps }, { createApp }] = await Promise.all([import('./deps.ts'), import('./app.ts')])
    const deps = await openDeps(config, { version: manifest.version, port: () => port, log })
    closing.add('what requests need', deps.close)
    const app = await createApp(config, deps, log)
    closing.add('the server', () => app.close())
    mayLeave.end()
    const others: Others = { close: async () => {} }
    closing.add('the sockets that listen', () => others.close())
    stopOnSignal(app, deps, others, log)
    port = await listen(app, deps, config, others)
    const addresses = deps.origin.whereListening(config.host).join(', ')
    process.stdout.write(`quirl ${manifest.version} serves ${addresses} and keeps its data in ${config.dataDir}\n`)
  } catch (error) {
    await closing.close().catch(() => {})
    throw error
  }
}

/**
 * JSON lines on stderr, one for each fault; no line for a visit or a request, so no address and no token in any. Nobody
 * need read them, nor the line on stdout.
 */
function openLog(): Logger {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // Node has made a pipe on stderr one that does not block when it was asked for the stream.
  const lines = createLogLines(process.stderr.fd, {
    onDropped: (dropped) => log.warn({ dropped }, 'nobody read the log; so many lines of it were dropped here'),
  })
  const log = pino({ base: null, level: 'warn' }, lines)
  process.on('uncaughtExceptionMonitor', (error) => {
    lines.finish(LAST_LINES_MS)
    log.fatal({ err: error }, 'a fault that nothing handles ends the process')
  })
  process.on('exit', () => lines.finish(LAST_LINES_MS))
  return log
}

/** The sockets of a port besides the server's own. */
interface Others {
  close: () => Promise<void>
}

/** @param others closes the further sockets of the port */
async function listen(
  app: FastifyInstance,
  { tls, connections, onDrain }: Deps,
  config: Config,
  others: Others,
): Promise<number> {
  const { host } = config
  const [name, port] = tls === undefined ? ['PORT', config.port] : ['HTTP_PORT', config.httpPort]
  try {
    connections.count(app.server)
    const place = { host, port, sockets: connections.sockets, allowHalfOpen: true, onSocket: connections.bound }
    others.close = (await listenOften(app.server, place, (options) => app.listen(options))).close
    onDrain(() => void others.close())
  } catch (error) {
    throw new StartError(`cannot listen on HOST=${host} ${name}=${port}: ${(error as Error).message}`, { cause: error })
  }
  await tls?.listen(app.server, connections)
  return (app.server.address() as AddressInfo).port
}

/**
 * Ends the process on a signal while it starts, when nothing has been answered that could be lost: the first process of a
 * container is not told of signals that it does not listen for.
 */
function leaveOnSignal(): { end: () => void } {
  const leave = () => process.exit(0)
  const signals = ['SIGTERM', 'SIGINT'] as const
  for (const signal of signals) process.on(signal, leave)
  return {
    end: () => {
      for (const signal of signals) process.off(signal, leave)
    },
  }
}

/**
 * On the first SIGTERM or SIGINT: stop accepting, finish what runs, close the store, exit 0. Further signals are
 * ignored, because npm passes on what the terminal has sent to the whole group already.
 */
function stopOnSignal(app: FastifyInstance, deps: Deps, others: Others, log: Logger): void {
  let stopping: Promise<void> | undefined
  const onSignal = () => {
    if (stopping !== undefined) return
    setTimeout(() => {
      log.fatal('could not stop in time; what is open is left as it is')
      process.exit(1)
    }, STOP_MS)
    stopping = stop(app, deps, others).then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** Finishes what runs, for as long as that may take, and closes everything, also when connections do not go. */
async function stop(app: FastifyInstance, deps: Deps, others: Others): Promise<void> {
  deps.drain()
  // A connection whose last request has been answered would rest until its time-out.
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
  const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  const late = new Promise((resolve) => setTimeout(resolve, DRAIN_MS + CUT_MS))
  await Promise.race([Promise.all([app.close(), others.close(), deps.tls?.close()]), late])
  clearInterval(sweep)
  clearTimeout(deadline)
  await deps.close()
}
