import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { resolve } = createRequire(import.meta.url)

/** A file beside the module of a package, which does not export it. */
function besideModule(name: string, file: string): unknown {
  return JSON.parse(readFileSync(join(dirname(resolve(name)), file), 'utf8'))
}

interface Crawler {
  instances: string[]
}

/**
 * The agents of crawlers, previewers, tools and libraries in `crawler-user-agents` (MIT), some 2,100. Some six are of people,
 * who read a page in an app (Instagram, Facebook, editors of code).
 */
export function crawlerAgents(): string[] {
  const crawlers = besideModule('crawler-user-agents', 'crawler-user-agents.json') as Crawler[]
  return crawlers.flatMap(({ instances }) => instances)
}

/**
 * The agents of people: some 950 that visited web sites in the weeks before a release of `user-agents` (BSD-2-Clause), by device
 * and screen, and the hundred most common ones of `top-user-agents` (MIT).
 */
export function peopleAgents(): string[] {
  const visits = besideModule('user-agents', 'user-agents.json') as { userAgent: string }[]
  const common = besideModule('top-user-agents', 'index.json') as string[]
  return [...new Set([...visits.map(({ userAgent }) => userAgent), ...common])]
}
