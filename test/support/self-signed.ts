import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, type Ending } from './cleanup.ts'

const algorithms = { ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], rsa: ['rsa:2048'] }

/** A certificate of its own authority, for one name; it needs the program openssl. */
export function selfSigned(t: Ending, name: string, algorithm: 'ec' | 'rsa' = 'ec') {
  const folder = temporaryFolder(t)
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=DNS:${name}`]
  const made = ['req', '-x509', '-newkey', ...algorithms[algorithm], '-nodes', '-days', '2', ...subject]
  execFileSync('openssl', [...made, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile }
}
