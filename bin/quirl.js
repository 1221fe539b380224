#!/usr/bin/env node
// Any Node from 18 on reads this file: an old one hands over to the Node that npm has installed.
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v8 from 'node:v8'
import { isTooMany, requireNode, runInstead, TOO_FEW_FILES } from './own-node.js'

const node = requireNode()
if (node === process.execPath) await run().catch(explain)
else runInstead(node, [...process.execArgv, ...process.argv.slice(1)])

async function run() {
  // "npm start" lets the heap grow to 64 MiB before V8 collects old objects, which delays visits. That is for this thread:
  // those that start later stay smaller.
  v8.setFlagsFromString('--initial-old-space-size=0')
  // V8 places objects of a kind among the old ones once it sees nearly all of that kind survive, as they do during a start. Where a
  // request has one of these, all that it refers to is kept until the next collection of old objects.
  v8.setFlagsFromString('--no-allocation-site-pretenuring')
  // What was compiled is kept between starts: the next one is quicker and does not load the TypeScript stripper.
  // Threads find it by the variable only; the folder is Node's own choice.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
  module.enableCompileCache?.()
  // A checkout runs its sources as they stand where the bundle was made of others; the published package holds only the bundle.
  const source = new URL('../src/main.ts', import.meta.url)
  const bundle = new URL('../dist/server/main.js', import.meta.url)
  const runsBundle = !existsSync(source) || (await import('../build/server-state.js')).isCurrent()
  if (!runsBundle) await bundlePackages()
  const { main } = await import(runsBundle ? bundle.href : source.href)
  await main(process.argv.slice(2))
  // V8 lets its heap grow with the machine's memory; a small service on a large machine should stay small. A start, which
  // keeps most of what it makes, is quicker without.
  v8.setFlagsFromString('--heap-growing-percent=20')
}

/** @param {NodeJS.ErrnoException} error of a module that could not be loaded, before the program says more itself */
function explain(error) {
  if (!isTooMany(error)) throw error
  console.error(`quirl: ${TOO_FEW_FILES}`)
  process.exit(1)
}

/** "npm update" changes packages without "prepare", which bundles them. */
async function bundlePackages() {
  if ((await import('../build/packages-state.js')).isCurrent()) return
  try {
    await import('../build/packages.js')
  } catch (error) {
    console.error(`quirl: run "npm run prepare", as the user who ran "npm ci": ${error.message}`)
    process.exit(1)
  }
}
