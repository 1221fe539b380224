// A node's connections to PostgreSQL by TLS.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { freePort } from './support/ports.ts'
import { serverUser, startPostgres } from './support/postgres.ts'
import { start } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create } from './support/server.ts'

/** Creates a certificate that signs itself, and its key. */
function createCertificate(folder: string, name: string): string {
  const file = join(folder, name)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${file}.key`]
  const subject = [
    '-subj',
    `/CN=${name}`,
    '-addext',
    'subjectAltName=DNS:localhost',
    '-days',
    '2',
    '-out',
    `${file}.crt`,
  ]
  execFileSync('openssl', ['req', '-x509', ...key, ...subject], { stdio: 'ignore' })
  return file
}

test('sslmode=verify-full connects to the server that the certificate names, and to no other, and no output has the password', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql') || !requireProgram(t, 'openssl', 'openssl')) return
  const folder = temporaryFolder(t)
  const [own, other] = [createCertificate(folder, 'own'), createCertificate(folder, 'other')]
  const port = await freePort()
  const server = await startPostgres(t, {
    port,
    settings: ['ssl=on'],
    prepare(data) {
      for (const [from, to] of [
        [`${own}.crt`, 'server.crt'],
        [`${own}.key`, 'server.key'],
      ] as const) {
        copyFileSync(from, join(data, to))
        if (serverUser !== undefined) chownSync(join(data, to), serverUser.uid, serverUser.gid)
      }
    },
  })
  const url = (host: string, trusted: string) =>
    `postgres://${server.user}:hidden@${host}:${port}/postgres?sslmode=verify-full&sslrootcert=${trusted}.crt`
  const startOn = (DATABASE_URL: string) => start(t, undefined, [], { env: { DATABASE_URL } })

  const node = await startOn(url('localhost', own))
  await create(node, { target: 'https://example.com/' })
  const { rows } = await server.execute(
    `select bool_and(ssl) as encrypted from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'quirl%'`,
  )
  assert.deepEqual(rows, [{ encrypted: true }])
  assert.doesNotMatch(node.output(), /hidden/)
  for (const [wrong, reason] of [
    [url('localhost', other), /certificate/],
    [url('127.0.0.1', own), /127\.0\.0\.1/],
  ] as const) {
    await assert.rejects(startOn(wrong), ({ message }: Error) => {
      assert.match(message, /^quirl: the PostgreSQL of DATABASE_URL cannot be used: [^\n]+\n$/)
      assert.match(message, reason)
      assert.doesNotMatch(message, /hidden/)
      return true
    })
  }
})
