import { readFileSync } from 'node:fs'
import { getCACertificates, type ConnectionOptions } from 'node:tls'
import type { Tls } from '../../config/postgres-url.ts'

/** Reads the files, which may be renewed while the program runs. @throws an error of the system */
export function tlsOptions({ verify, files, passphrase }: Tls): ConnectionOptions {
  const read = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file, 'utf8'))
  const authorities = files.ca === 'system' ? getCACertificates('system') : read(files.ca)
  const { cert, key, crl } = { cert: read(files.cert), key: read(files.key), crl: read(files.crl) }
  return {
    ...(authorities !== undefined && verify !== 'nothing' && { ca: authorities }),
    ...(cert !== undefined && key !== undefined && { cert, key, passphrase }),
    ...(crl !== undefined && { crl }),
    ...(verify === 'nothing' && { rejectUnauthorized: false }),
    ...(verify === 'authority' && { checkServerIdentity: () => undefined }),
  }
}

/** Whether the other way to connect to the server, with TLS or without, may succeed where this one has failed. */
export function mayDependOnTls(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  // The server has no rule for such connections, or ends the handshake; `pg` gives no code when it has no TLS.
  return code === '28000' || /^ERR_(?:SSL|TLS)/.test(code) || /SSL connection|secure TLS connection/.test(error.message)
}

/** What to write in the URL for a server that does not have the TLS that was asked for; undefined for any other error. */
export function tlsHint(error: Error): string | undefined {
  const code = 'code' in error ? String(error.code) : ''
  if (code === '28000' && error.message.endsWith('no encryption'))
    return 'add sslmode=require to the URL, or a stronger one'
  if (error.message.includes('does not support SSL')) return 'write sslmode=disable, or have it offer TLS'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'name the host that the certificate is for, or write sslmode=verify-ca, which accepts any'
  if (unverified.has(code))
    return 'name its authority by sslrootcert (a file, or system), or write sslmode=require, which verifies nothing'
  return undefined
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const unverified = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
