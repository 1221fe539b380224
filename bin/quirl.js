#!/usr/bin/env node
// Written so that any Node can parse it: an old one must be able to say that it is old.
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v8 from 'node:v8'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(
    `quirl needs Node 24.12 or newer, this is ${process.versions.node}; "npx quirl" and "npm start" use the one that npm installs with it`,
  )
  process.exit(1)
}
// "npm start" lets the heap grow to 64 MiB before V8 collects old objects, which delays visits. That is for this thread: those
// that start later stay smaller.
v8.setFlagsFromString('--initial-old-space-size=0')
// What was compiled is kept between starts: the next one is quicker and does not load the TypeScript stripper.
// Threads find it by the variable only; the folder is Node's own choice.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
module.enableCompileCache?.()
// A checkout runs its sources as they stand where the bundle was made of others; the published package holds only the bundle.
const source = new URL('../src/main.ts', import.meta.url)
const bundle = new URL('../dist/server/main.js', import.meta.url)
const runsBundle = !existsSync(source) || (await import('../build/server-state.js')).isCurrent()
// "npm update" changes packages without "prepare", which bundles them.
if (!runsBundle && !(await import('../build/packages-state.js')).isCurrent()) {
  try {
    await import('../build/packages.js')
  } catch (error) {
    console.error(`quirl: run "npm run prepare", as the user who ran "npm ci": ${error.message}`)
    process.exit(1)
  }
}
const { main } = await import(runsBundle ? bundle.href : source.href)
await main(process.argv.slice(2))
// V8 lets its heap grow with the machine's memory; a small service on a large machine should stay small. A start, which
// keeps most of what it makes, is quicker without.
v8.setFlagsFromString('--heap-growing-percent=20')
