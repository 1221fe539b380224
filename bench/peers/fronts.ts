import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, listening } from '../../test/support/ports.ts'
import { SERVER_CORE, temporaryFolder } from '../support.ts'

/** Files with a key and a certificate, PEM. */
export interface Identity {
  name: string
  key: string
  certificate: string
}

/** Another program that answers, or passes on, visits. */
export interface Front {
  pid: number
  port: number
  securePort: number
  stop: () => Promise<void>
}

/** Makes a P-256 key and a certificate of its own. */
export function makeIdentity(name: string): Identity {
  const folder = temporaryFolder()
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc']
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const args = ['req', '-x509', ...curve, ...subject, '-days', '90', '-keyout', key, '-out', certificate]
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl: ${stderr}`)
  return { name, key, certificate }
}

/** What a front does with a visit: it passes it on to this port of loopback, or answers it by a constant redirect. */
export type Behind = number | undefined

type Arguments = (ports: { folder: string; port: number; securePort: number }) => string[]

/** Starts nginx with one worker. @returns undefined when it is not installed */
export function startNginxFront(identity: Identity, behind?: Behind): Promise<Front | undefined> {
  return startFront('nginx', (ports) => {
    const file = join(ports.folder, 'nginx.conf')
    writeFileSync(file, nginxConfiguration({ ...ports, ...identity, behind }))
    return ['-p', ports.folder, '-c', file, '-e', 'stderr']
  })
}

/** Starts Caddy, whose threads share the core. @returns undefined when it is not installed */
export function startCaddyFront(identity: Identity, behind?: Behind): Promise<Front | undefined> {
  return startFront('caddy', (ports) => {
    const file = join(ports.folder, 'Caddyfile')
    writeFileSync(file, caddyConfiguration({ ...ports, ...identity, behind }))
    return ['run', '--config', file, '--adapter', 'caddyfile']
  })
}

async function startFront(program: string, argumentsOf: Arguments): Promise<Front | undefined> {
  if (spawnSync(program, ['-v']).error !== undefined) return undefined
  const [folder, port, securePort] = [temporaryFolder(), await freePort(), await freePort()]
  const args = ['-c', SERVER_CORE, program, ...argumentsOf({ folder, port, securePort })]
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const started = spawn('taskset', args, { stdio: ['ignore', 'ignore', 'ignore'], env })
  // Ends the worker as well, also when the bench fails.
  process.once('exit', () => started.kill('SIGTERM'))
  await listening(securePort, () =>
    started.exitCode === null ? undefined : `${program} ended with ${started.exitCode}`,
  )
  const stop = () =>
    new Promise<void>((resolve) => {
      started.once('exit', () => resolve())
      started.kill('SIGTERM')
    })
  return { pid: started.pid ?? 0, port, securePort, stop }
}

interface Configuration extends Identity {
  folder: string
  port: number
  securePort: number
  behind: Behind
}

function nginxConfiguration({ folder, port, securePort, name, key, certificate, behind }: Configuration): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/t;`)
  const answer =
    behind === undefined
      ? 'add_header Cache-Control "private, no-store"; return 302 https://example.com/menu;'
      : `proxy_pass http://quirl; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
         proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;`
  return `daemon off; worker_processes 1; pid ${folder}/pid;
events { worker_connections 16384; }
http {
  ${temporary.join(' ')}
  access_log ${folder}/access.log combined;
  ${behind === undefined ? '' : `upstream quirl { server 127.0.0.1:${behind}; keepalive 64; }`}
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${securePort} ssl;
    server_name ${name};
    ssl_certificate ${certificate}; ssl_certificate_key ${key}; ssl_protocols TLSv1.2 TLSv1.3;
    location / { ${answer} }
  }
}
`
}

function caddyConfiguration({ folder, port, securePort, name, key, certificate, behind }: Configuration): string {
  const answer =
    behind === undefined
      ? 'header Cache-Control "private, no-store"\n  redir https://example.com/menu 302'
      : `reverse_proxy 127.0.0.1:${behind}`
  const log = `log {\n    output file ${folder}/access.log\n  }`
  return `{
  admin off
  auto_https off
  default_bind 127.0.0.1
}
http://${name}:${port} {
  ${log}
  ${answer}
}
https://${name}:${securePort} {
  tls ${certificate} ${key}
  ${log}
  ${answer}
}
`
}
