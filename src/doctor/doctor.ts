import type { ListsResult } from '../abuse/operator.ts'
import { NotRunning, type CallOperation } from '../operator/client.ts'
import type { Config } from '../config/config.ts'
import type { SetSettings } from '../config/sources.ts'
import { openFilesLimit } from '../http/open-files.ts'
import type { DomainsResult } from '../domains/operator.ts'
import type { CertificatesResult } from '../tls/operator.ts'
import { memoryLimit } from '../lib/memory-limit.ts'
import { checkExposure } from './exposure-check.ts'
import { CHECK_MS, fault, ok, runChecks, warning, type Check, type Finding, type Result } from './finding.ts'
import { folderChecks } from './folder-checks.ts'
import { networkChecks, type World } from './network-checks.ts'
import type { ProxiesResult, ServiceState } from './operator.ts'
import type { Servers } from './servers.ts'
import { serviceChecks } from './service-checks.ts'
import { checkedSettings } from './settings.ts'

/** What `examine` needs. */
export interface DoctorOptions {
  config: Config
  set: SetSettings
  call: CallOperation
  world: World
  servers: Servers
}

/** Looks at everything that can be seen from here. With a running service, its settings count, and not those given. */
export async function examine(options: DoctorOptions): Promise<Finding[]> {
  const { set, call } = options
  const settings = settingFaults(set)
  const { state, result } = await askService(call)
  const asked = [
    { check: 'settings', ...settings },
    { check: 'service', ...result },
  ]
  // Without a running service, there is no value in place of one that is not allowed.
  if (settings.verdict === 'fault' && state === undefined) return asked
  const checks = checksOf(options, state)
  return [...asked, ...(await runChecks(checks))]
}

function checksOf({ config, call, world, servers }: DoctorOptions, service: ServiceState | undefined): Check[] {
  const { dataDir } = config
  const settings = service?.settings ?? checkedSettings(config)
  const here = {
    node: process.versions.node,
    files: { open: null, limit: limitHere() },
    memory: { used: process.memoryUsage.rss(), limit: memoryLimit() },
  }
  const { node, files, memory } = service ?? here
  return [
    ...folderChecks({ dataDir, service, isShared: settings.isShared, now: world.now }),
    ...networkChecks({ ...world, settings, service, proxies: async () => (await call('proxies')) as ProxiesResult }),
    ...serviceChecks({
      settings,
      service,
      node,
      files,
      memory,
      now: world.now,
      lists: async () => (await call('lists')) as ListsResult,
      certificates: async () => (await call('certs')) as CertificatesResult,
      domains: async () => (await call('domains')) as DomainsResult,
    }),
    { name: 'lists', run: () => checkExposure({ ...world, settings }) },
    ...servers.checks(config, settings, service?.servers),
  ]
}

function settingFaults({ settings, unknown }: SetSettings): Result {
  const faults = settings.flatMap((each) => each.fault ?? [])
  const [first] = faults
  if (first !== undefined)
    return fault(`${first}${faults.length > 1 ? `, and ${faults.length - 1} more` : ''}: see "quirl config check"`)
  if (unknown.length > 0)
    return warning(`.env has ${unknown.slice(0, 5).join(', ')}, which quirl does not read: a misspelled name?`)
  return ok('every value is allowed')
}

/** The state of the running service, and what that says. */
async function askService(call: CallOperation): Promise<{ state: ServiceState | undefined; result: Result }> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), CHECK_MS * 2)
  })
  try {
    const state = (await Promise.race([call('doctor'), late])) as ServiceState
    const { notReady } = state
    return { state, result: notReady === null ? ok('runs and is ready') : fault(`runs, but is not ready: ${notReady}`) }
  } catch (error) {
    if (error instanceof NotRunning)
      return { state: undefined, result: warning(`${error.message}; what only it knows was not looked at`) }
    return { state: undefined, result: fault((error as Error).message) }
  } finally {
    clearTimeout(timer)
  }
}

function limitHere(): number | null {
  const limit = openFilesLimit()
  return Number.isFinite(limit) ? limit : null
}
