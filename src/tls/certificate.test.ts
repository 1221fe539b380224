import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { exampleCertificate } from '../../test/support/rfc9773.ts'
import { newKey } from './account.ts'
import { CertificateError, readCertificate, renewalId, renewalTime } from './certificate.ts'
import { createCsr } from './csr.ts'
import { decodeAll, encode, encodeOid } from './der.ts'

const openssl = (args: string, input?: Buffer | string) => {
  const { status, stdout, stderr } = spawnSync('openssl', args.split(' '), { input, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout + stderr
}

/** A certificate that openssl has made, for a name. */
function makeCertificate(t: TestContext, name: string, days = 30) {
  const folder = temporaryFolder(t)
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  openssl(
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ${days} -subj /CN=x -addext subjectAltName=DNS:${name} -addext authorityKeyIdentifier=keyid:always -keyout ${keyFile} -out ${certFile}`,
  )
  return { key: readFileSync(keyFile, 'utf8'), chain: readFileSync(certFile, 'utf8'), certFile }
}

test('openssl verifies a certificate request, which is for one name', (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  for (const name of [
    'qr.example.com',
    'xn--bcher-kva.example',
    `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.com`,
  ]) {
    const csr = createCsr(name, createPrivateKey(newKey()))
    const text = openssl('req -inform DER -verify -noout -text', csr)
    assert.match(text, /verify OK|self-signature verify OK/i)
    assert.match(text, /Subject: *\n/)
    assert.match(text, new RegExp(`DNS:${name}\\s`))
    assert.match(text, /ecdsa-with-SHA256/)
  }
})

test('DER values of every length class are decoded as they were encoded', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 70_000 }), (length) => {
      const content = Buffer.alloc(length, 7)
      const [value] = decodeAll(encode('octetString', content))
      assert.equal(value?.tag, 0x04)
      assert.ok(value.content.equals(content))
    }),
    { examples: [[0], [127], [128], [255], [256], [65_535], [65_536]] },
  )
  assert.equal(encodeOid('1.2.840.113549.1.9.14').toString('hex'), '06092a864886f70d01090e')
  for (const cut of ['30', '3005', '308201', '30820100ab']) {
    assert.throws(() => decodeAll(Buffer.from(cut, 'hex')), RangeError, cut)
  }
})

test('the identifier for renewal information is the one of RFC 9773', (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const { chain, certFile } = makeCertificate(t, 'qr.example.com')
  const [authority = '', serial = ''] = (renewalId(chain) ?? '').split('.')
  const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex').toUpperCase()
  assert.equal(hex(serial).replace(/^00/, ''), new X509Certificate(chain).serialNumber.replace(/^00/, ''))
  const shown = openssl(`x509 -in ${certFile} -noout -ext authorityKeyIdentifier`)
  assert.ok(shown.replaceAll(':', '').includes(hex(authority)), shown)
})

test("the identifier of RFC 9773's example is correct", () => {
  assert.equal(renewalId(exampleCertificate), 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
})

test('a certificate for another name or key, an expired one, or one with a chain that no server can use, is refused', (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const { chain, key } = makeCertificate(t, 'qr.example.com')
  const now = Date.now()
  const read = readCertificate('qr.example.com', chain, key, now)
  assert.equal(read.notAfter - read.notBefore, 30 * 86_400_000)
  assert.equal(renewalTime(read), read.notBefore + 20 * 86_400_000)
  assert.throws(() => readCertificate('other.example.com', chain, key, now), CertificateError)
  assert.throws(() => readCertificate('qr.example.com', chain, newKey(), now), CertificateError)
  assert.throws(() => readCertificate('qr.example.com', chain, key, read.notAfter), CertificateError)
  const other = makeCertificate(t, 'other.example.com').chain
  assert.equal(readCertificate('qr.example.com', chain + other, key, now).chain, chain + other)
  const cut = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  for (const rest of [cut, cut.replace('AAAA', '!'), other.slice(0, 200), other.repeat(200)])
    assert.throws(() => readCertificate('qr.example.com', chain + rest, key, now), CertificateError)
})
