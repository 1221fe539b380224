import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/support/ports.ts'
import { poll } from '../../test/support/poll.ts'
import { SERVER_CORE, temporaryFolder } from '../support.ts'

/** nginx with redirects, on two ports: one without a log of visits, one that writes a line for each. */
export interface Nginx {
  silent: string
  logging: string
  stop: () => Promise<void>
}

/** Starts one worker on the server's core. @returns undefined when nginx is not installed */
export async function startNginx(): Promise<Nginx | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined
  const folder = temporaryFolder()
  const [silent, logging] = [await freePort(), await freePort()]
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, silent, logging))
  const args = ['-c', SERVER_CORE, 'nginx', '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr']
  const master = spawn('taskset', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  // Stops the worker as well, also when the bench fails.
  process.once('exit', () => master.kill('SIGTERM'))
  const url = (port: number) => `http://127.0.0.1:${port}/menu`
  await poll(async () => (await fetch(url(silent), { redirect: 'manual' }).catch(() => undefined))?.status === 302)
  return { silent: url(silent), logging: url(logging), stop: () => stop(master) }
}

function stop(master: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    master.once('exit', () => resolve())
    master.kill('SIGTERM')
  })
}

function configuration(folder: string, silent: number, logging: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/t;`)
  const redirect = `location / { add_header Cache-Control "private, no-store"; return 302 https://example.com/menu; }`
  return `daemon off; worker_processes 1; pid ${folder}/pid;
events { worker_connections 4096; }
http {
  ${temporary.join(' ')}
  keepalive_requests 1000000000;
  server { listen 127.0.0.1:${silent}; access_log off; ${redirect} }
  server { listen 127.0.0.1:${logging}; access_log ${folder}/access.log combined; ${redirect} }
}
`
}
