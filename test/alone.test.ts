import assert from 'node:assert/strict'
import { relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './support/cleanup.ts'
import { exitOf, patientStop, start } from './support/program.ts'
import { create, visit } from './support/server.ts'

const source = fileURLToPath(new URL('../src/', import.meta.url))

/** Prints each module that a process, or a thread of it, loads. */
const printModules = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module'
   registerHooks({ load: (url, context, next) => { process.stderr.write(url + '\\n'); return next(url, context) } })`,
)}`

function modulesIn(output: string): string[] {
  const urls = output.match(/^file:.*$/gm) ?? []
  return [...new Set(urls.map((url) => relative(source, fileURLToPath(url))))]
}

test('a process that is alone on its store loads nothing of what several nodes need', async (t) => {
  // Runs the sources, where `bin/quirl.js` runs the bundle.
  const { file, env } = patientStop
  const service = await start(t, temporaryFolder(t), [], { file, env: { ...env, NODE_OPTIONS: printModules } })
  const { code } = await create(service, { target: 'https://example.com/' })
  const visited = await visit(`${service.url}/${code}`)
  assert.equal(visited.status, 302)
  service.process.kill('SIGTERM')
  await exitOf(service)
  const modules = modulesIn(service.output())
  assert.ok(modules.includes('scans/sqlite/warehouse-thread.ts'))
  assert.deepEqual(
    modules.filter((module) => module.startsWith('nodes/')),
    [],
  )
})
