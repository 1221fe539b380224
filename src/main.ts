import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino, type Logger } from 'pino'
import { createApp } from './app.ts'
import { createAsk } from './cli/ask.ts'
import { commands } from './cli/commands.ts'
import { commandHelp, helpText } from './cli/help.ts'
import { readConfig, type Config } from './config/config.ts'
import { openDeps, type Deps } from './deps.ts'
import { StartError } from './lib/start-error.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** How long requests that run may go on after the signal to stop. */
const DRAIN_MS = 10_000
const SWEEP_MS = 100

/** The process: configuration, dependencies, listen, drain. */
export async function main(args: string[]): Promise<void> {
  try {
    const text = await run(args)
    if (text !== undefined) process.stdout.once('error', cannotPrint).write(text.endsWith('\n') ? text : `${text}\n`)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`quirl: ${error.message}\n`)
    process.exitCode = 1
  }
}

/** Whoever reads what is printed may stop reading, as `head` does: then there is nobody to tell. */
function cannotPrint(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.stderr.write(`quirl: cannot print: ${error.message}\n`)
  process.exitCode = 1
}

/** Does what the command line asks, and answers what is to be printed, if the work has not printed it. */
async function run(args: string[]): Promise<string | undefined> {
  const asked = readConfig(args, process.env, undefined, commands)
  switch (asked.run) {
    case 'help':
      return asked.command === undefined ? helpText(commands) : commandHelp(asked.command)
    case 'version':
      return manifest.version
    case 'serve':
      return serve(asked.config)
    case 'command':
      return asked.command.run({ words: asked.words, flags: asked.flags, ask: createAsk(asked.config.dataDir) })
  }
}

async function serve(config: Config): Promise<undefined> {
  // What is kept holds private keys of certificates, the day's salt, and what owners wrote for themselves.
  process.umask(0o077)
  // JSON lines on stderr, one for each fault; no line for a visit or a request, so no address and no token in any.
  const log = pino({ base: null, level: 'warn' }, pino.destination({ dest: 2, sync: true }))
  let port = config.port
  const deps = await openDeps(config, { version: manifest.version, port: () => port, log })
  const app = await createApp(config, deps, log)
  stopOnSignal(app, deps, log)
  port = await listen(app, deps, config).catch(async (error: unknown) => {
    await app.close()
    await deps.close()
    throw error
  })
  const addresses = deps.origin.whereListening(config.host).join(', ')
  process.stdout.write(`quirl ${manifest.version} serves ${addresses} and keeps its data in ${config.dataDir}\n`)
}

async function listen(app: FastifyInstance, { tls }: Deps, config: Config): Promise<number> {
  const { host } = config
  const [name, port] = tls === undefined ? ['PORT', config.port] : ['HTTP_PORT', config.httpPort]
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw new StartError(`cannot listen on HOST=${host} ${name}=${port}: ${(error as Error).message}`, { cause: error })
  }
  await tls?.listen(app.server)
  return (app.server.address() as AddressInfo).port
}

/**
 * On the first SIGTERM or SIGINT: stop accepting, finish what runs, close the store, exit 0. Further signals are
 * ignored, because npm passes on what the terminal has sent to the whole group already.
 */
function stopOnSignal(app: FastifyInstance, deps: Deps, log: Logger): void {
  const stop = async () => {
    deps.drain()
    // A connection whose last request has been answered would rest until its time-out.
    const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
    const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
    await Promise.all([app.close(), deps.tls?.close()])
    clearInterval(sweep)
    clearTimeout(deadline)
    await deps.close()
  }
  let stopping: Promise<void> | undefined
  const onSignal = () => {
    stopping ??= stop().then(
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
