import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ending } from './cleanup.ts'
import { freePort } from './ports.ts'
import { serverUser, startPostgres, type PostgresServer } from './postgres.ts'

/** A certificate and its key: files of PEM. */
export interface Certified {
  cert: string
  key: string
}

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })

/** Makes a certificate authority, or a certificate that signs itself. */
export function selfSigned(folder: string, name: string): Certified {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const key_ = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  openssl('req', '-x509', ...key_, '-out', cert, '-days', '2', '-subj', `/CN=${name}`)
  return { cert, key }
}

/** Makes a certificate by an authority. @param names as in `DNS:localhost` */
export function signedBy(authority: Certified, folder: string, subject: string, names: string): Certified {
  const [cert, key, csr, extensions] = ['crt', 'key', 'csr', 'ext'].map((end) => join(folder, `${subject}.${end}`)) as [
    string,
    string,
    string,
    string,
  ]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  openssl('req', '-new', ...newKey, '-out', csr, '-subj', `/CN=${subject}`)
  writeFileSync(extensions, `subjectAltName=${names}\n`)
  const by = ['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial']
  openssl('x509', '-req', '-in', csr, ...by, '-out', cert, '-days', '2', '-extfile', extensions)
  return { cert, key }
}

/** Who may connect: any way, only with TLS, only without, by a password, and by a certificate of the client. */
const rules = `local all,replication all trust
host all quirl 127.0.0.1/32 trust
hostssl all only_tls 127.0.0.1/32 trust
hostnossl all only_plain 127.0.0.1/32 trust
host all secret 127.0.0.1/32 scram-sha-256
hostssl all certified 127.0.0.1/32 cert
`

/** Starts a server on a port of loopback that has the roles of `rules`. @param tls the certificate; without it, no TLS */
export async function startTlsPostgres(
  ending: Ending,
  tls?: Certified,
  authority?: Certified,
): Promise<PostgresServer> {
  const port = await freePort()
  const settings = ['password_encryption=scram-sha-256']
  if (tls !== undefined) settings.push('ssl=on', 'ssl_cert_file=own.crt', 'ssl_key_file=own.key')
  if (authority !== undefined) settings.push('ssl_ca_file=ca.crt')
  const server = await startPostgres(ending, {
    port,
    settings,
    prepare(data) {
      const give = (from: string, name: string) => {
        const to = join(data, name)
        copyFileSync(from, to)
        chmodSync(to, 0o600)
        if (serverUser !== undefined) chownSync(to, serverUser.uid, serverUser.gid)
      }
      if (tls !== undefined) {
        give(tls.cert, 'own.crt')
        give(tls.key, 'own.key')
      }
      if (authority !== undefined) give(authority.cert, 'ca.crt')
      writeFileSync(join(data, 'pg_hba.conf'), rules)
    },
  })
  for (const role of ['only_tls', 'only_plain', 'certified']) await server.execute(`create role ${role} login`)
  await server.execute(`create role secret login password 'hunter2'`)
  return server
}
