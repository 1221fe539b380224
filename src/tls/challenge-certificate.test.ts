import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { requireProgram } from '../../test/support/programs.ts'
import { challengeCertificate } from './challenge-certificate.ts'

test('openssl parses the certificate of a challenge, with the digest in a critical extension', (t) => {
  const { key, chain } = challengeCertificate('qr.example.com', 'token.thumbprint', Date.now())
  const certificate = new X509Certificate(chain)
  assert.equal(certificate.checkPrivateKey(createPrivateKey(key)), true)
  assert.equal(certificate.verify(certificate.publicKey), true)
  assert.equal(certificate.subjectAltName, 'DNS:qr.example.com')
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const { stdout } = spawnSync('openssl', ['x509', '-noout', '-text'], { input: chain, encoding: 'utf8' })
  assert.match(stdout, /1\.3\.6\.1\.5\.5\.7\.1\.31: critical/)
  const digest = createHash('sha256').update('token.thumbprint').digest()
  assert.ok(certificate.raw.includes(Buffer.concat([Buffer.from([4, 32]), digest])))
})
