// What a release depends on. `npm run test:release` packs and installs it, which takes too long for each run of the tests.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findUnlicensed } from '../build/check-licences.ts'
import lock from '../package-lock.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }

const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')

test('the changelog begins with what is not released, followed by the version of package.json once that is', () => {
  const [first, ...released] = Array.from(changelog.matchAll(/^## \[(.+?)\]/gm), ([, version]) => version)
  assert.equal(first, 'Unreleased')
  assert.equal(released[0] ?? manifest.version, manifest.version)
  assert.equal(new Set(released).size, released.length)
})

test('the lock file has the version of package.json', () => {
  assert.deepEqual([lock.version, lock.packages[''].version], [manifest.version, manifest.version])
})

test('a tag of this commit names the version of package.json', () => {
  const { stdout } = spawnSync('git', ['tag', '--points-at', 'HEAD', '--list', 'v*'], {
    cwd: new URL('..', import.meta.url),
    encoding: 'utf8',
  })
  for (const tag of stdout.trim().split('\n').filter(Boolean)) assert.equal(tag, `v${manifest.version}`)
})

test('the package holds the program, its bundles, the types of the client and the unit, and neither other sources nor tests', () => {
  assert.deepEqual(manifest.files.toSorted(), [
    'CHANGELOG.md',
    'NOTICE',
    'bin',
    'deploy/systemd',
    'dist/client',
    'dist/places',
    'dist/server',
    'src/client',
  ])
})

test('npm runs no script of a package that it installs', () => {
  const scripts = Object.keys(manifest.scripts)
  for (const name of ['preinstall', 'install', 'postinstall']) assert.ok(!scripts.includes(name), name)
  const running = Object.entries(lock.packages).filter(
    ([, each]) => 'hasInstallScript' in each && each.hasInstallScript && !('dev' in each && each.dev),
  )
  assert.deepEqual(running, [])
})

test('a package with a licence that is not allowed, or without one, is found', () => {
  const locked = (license?: string) => ({
    packages: { '': {}, 'node_modules/a/node_modules/b': { ...(license !== undefined && { license }) } },
  })
  assert.deepEqual(findUnlicensed(locked('GPL-3.0-only')), ['b: GPL-3.0-only'])
  assert.deepEqual(findUnlicensed(locked()), ['b: undefined'])
  assert.deepEqual(findUnlicensed(locked('(GPL-3.0-only OR MIT)')), [])
  assert.deepEqual(findUnlicensed(lock), [])
})
