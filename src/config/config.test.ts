import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { configurationPage } from './text.ts'
import { readConfig, settings, type Config } from './config.ts'
import { StartError } from '../lib/start-error.ts'

function read(args: string[], env: Record<string, string> = {}, dotEnv = '/nonexistent'): Config {
  const invocation = readConfig(args, env, dotEnv)
  assert.equal(invocation.run, 'serve')
  return (invocation as { config: Config }).config
}

test('nothing is required: every setting has a default that is allowed, or may be unset', () => {
  const config = read([])
  for (const [key, { name, fallback, parse }] of Object.entries(settings)) {
    const value = config[key as keyof Config]
    if (fallback === undefined) assert.equal(value, undefined, name)
    else assert.deepEqual(value, parse(fallback), name)
    assert.equal(value === undefined, fallback === undefined, `${name}=${fallback} is not allowed`)
  }
  assert.equal(config.scanRetention, Number.POSITIVE_INFINITY)
})

test('a flag wins over the environment, which wins over the .env file', (t) => {
  const dotEnv = join(temporaryFolder(t), '.env')
  writeFileSync(dotEnv, '# comment\nPORT=1\nHOST="::1"\nDATA_DIR=/from/file\n')
  assert.equal(read([], {}, dotEnv).port, 1)
  assert.equal(read([], { PORT: '2' }, dotEnv).port, 2)
  assert.equal(read(['--port', '3'], { PORT: '2' }, dotEnv).port, 3)
  assert.equal(read(['--port=3'], { PORT: '2' }, dotEnv).host, '::1')
})

test('an empty flag, variable or .env entry counts as unset', (t) => {
  const dotEnv = join(temporaryFolder(t), '.env')
  writeFileSync(dotEnv, 'PORT=\n')
  assert.equal(read([], { PORT: '' }, dotEnv).port, 3000)
  assert.equal(read(['--port='], { PORT: '2' }).port, 2)
})

test('an invalid value prevents the start, with one line that names the variable, the value and the allowed ones', () => {
  const wrong: [name: string, value: string][] = [
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['PORT', '0x10'],
    ['HOST', 'http://localhost'],
    ['BASE_URL', 'qr.example.com'],
    ['BASE_URL', 'ftp://qr.example.com'],
    ['BASE_URL', 'https://qr.example.com/path'],
    ['BASE_URL', 'https://qr.example.com/?x'],
    ['BASE_URL', 'https://user@qr.example.com'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1,proxy'],
    ['DNS_SERVERS', 'dns.example.com'],
    ['DNS_SERVERS', '9.9.9.9:0'],
    ['TLS', 'true'],
    ['HTTP_PORT', '65536'],
    ['HTTPS_PORT', 'x'],
    ['ACME_DIRECTORY', 'http://acme.example.com/directory'],
    ['ACME_DIRECTORY', 'acme.example.com'],
    ['ACME_EMAIL', 'someone'],
    ['DNS_SERVERS', '9.9.9.9,'],
    ['DNS_SERVERS', '[9.9.9.9'],
    ['SCAN_SYNC', 'always'],
    ['SCAN_RETENTION', '90'],
    ['SCAN_RETENTION', '0d'],
    ['GEO_HEADERS', 'constructor'],
    ['ABUSE_FEEDS', 'http://lists.example/hosts'],
    ['ABUSE_FEEDS', 'http://127.lists.example/hosts'],
    ['ABUSE_FEEDS', '/a,,/b'],
    ['ABUSE_FEEDS', 'recommended,off'],
    ['CREATE', 'private'],
    ['ABUSE_FEEDS', 'ftp://lists.example/hosts'],
    ['ABUSE_FEEDS', 'https://me:secret@lists.example/hosts'],
    ['CONTACT', 'abuse'],
    ['CONTACT', 'http://example.com/abuse'],
    ['CONTACT', 'javascript:alert(1)@x.example'],
    ['QR_MARKER', 'yes'],
  ]
  for (const [name, value] of wrong) {
    const says = (error: unknown) => {
      assert.ok(error instanceof StartError)
      assert.ok(error.message.startsWith(`${name}=${value} is not allowed: it must be `), error.message)
      assert.doesNotMatch(error.message, /\n/)
      return true
    }
    assert.throws(() => read([], { [name]: value }), says)
    assert.throws(() => read([`--${name.toLowerCase().replace('_', '-')}=${value}`]), says)
  }
})

test('no setting takes the name of a member that every object has, unless any text is allowed', () => {
  const free = Object.values(settings).filter(({ parse }) => parse('someText') === undefined)
  assert.ok(free.length > 25)
  for (const { name } of free) {
    for (const member of Object.getOwnPropertyNames(Object.prototype))
      assert.throws(() => read([], { [name]: member }), StartError, `${name}=${member}`)
  }
})

test('--tls and --email are short for --tls=on and --acme-email', () => {
  const config = read(['serve', '--tls', '--email', 'me@example.com'])
  assert.deepEqual([config.tls, config.acmeEmail], [true, 'me@example.com'])
  assert.equal(read(['--tls', 'off', '--email=me@example.com']).tls, false)
  assert.equal(read(['--tls=on', '--port=1']).tls, true)
  assert.equal(read(['--port=1', '--tls']).tls, true)
})

test('an unknown flag or argument prevents the start, with one line', () => {
  for (const args of [['--prot', '1'], ['serve-me'], ['--port']]) {
    assert.throws(
      () => read(args),
      (error) => error instanceof StartError && !error.message.includes('\n'),
    )
  }
})

test('BASE_URL is normalised to an origin without a trailing slash', () => {
  assert.equal(read([], { BASE_URL: 'https://QR.example.com:443/' }).baseUrl, 'https://qr.example.com')
})

test('abuse lists are files or https URLs; http is allowed on loopback', () => {
  const text = '/etc/quirl/own.txt, https://lists.example/hosts?key=1,http://127.0.0.1:8080/hosts,/etc/quirl/own.txt'
  const named = ['/etc/quirl/own.txt', 'https://lists.example/hosts?key=1', 'http://127.0.0.1:8080/hosts']
  assert.deepEqual(read([], { ABUSE_FEEDS: text }).abuseFeeds, { named, withRecommended: false })
  const mixed = { ABUSE_FEEDS: 'recommended, /etc/quirl/own.txt' }
  assert.deepEqual(read([], mixed).abuseFeeds, { named: ['/etc/quirl/own.txt'], withRecommended: true })
  assert.deepEqual(read([], { ABUSE_FEEDS: 'off' }).abuseFeeds, { named: [], withRecommended: false })
})

test('a contact becomes a URI, which security.txt requires', () => {
  assert.equal(read([], { CONTACT: 'abuse@example.com' }).contact, 'mailto:abuse@example.com')
  assert.equal(read([], { CONTACT: 'https://example.com/abuse' }).contact, 'https://example.com/abuse')
})

test('a command receives its arguments and its flags, in any order', () => {
  const shapes = [{ name: 'block', options: { reason: { type: 'string' as const, doc: '' } } }, { name: 'status' }]
  const invocation = readConfig(['--data-dir=/d', 'block', 'a', '--reason', 'b c', 'd'], {}, '/nonexistent', shapes)
  assert.ok(invocation.run === 'command')
  assert.equal(invocation.command, shapes[0])
  assert.deepEqual([invocation.args, invocation.flags['reason'], invocation.config.dataDir], [['a', 'd'], 'b c', '/d'])
  assert.equal(readConfig(['serve', '--port=1'], {}, '/nonexistent', shapes).run, 'serve')
  assert.deepEqual(readConfig(['status', '--help'], {}, '/nonexistent', shapes), { run: 'help', command: shapes[1] })
  for (const [args, says] of [
    [['blok'], /^Unknown command 'blok'; "quirl --help"/],
    [['status', '--reason=x'], /^'status' has no option '--reason'; /],
    [['--reason=x'], /^'serve' has no option '--reason'; /],
    [['serve', 'me'], /^Unexpected argument 'me'; /],
  ] as const) {
    assert.throws(
      () => readConfig([...args], {}, '/nonexistent', shapes),
      (error) => error instanceof StartError && says.test(error.message),
    )
  }
})

test('docs/configuration.md is up to date: "npm run docs" writes it', () => {
  assert.equal(readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8'), configurationPage())
})

test('REDIS_URL has a host, and may have a port, a user, a password and the number of a database', () => {
  const redis = (url: string) => read([], { REDIS_URL: url }).redisUrl
  const plain = { host: 'cache.example.com', port: 6379, username: undefined, password: undefined, db: 0, tls: false }
  assert.deepEqual(redis('redis://cache.example.com'), plain)
  assert.deepEqual(redis('rediss://quirl:p%40ss@cache.example.com:6390/3'), {
    ...plain,
    username: 'quirl',
    password: 'p@ss',
    port: 6390,
    db: 3,
    tls: true,
  })
  assert.equal(redis('redis://[::1]:6379/')?.host, '::1')
})

test('an invalid REDIS_URL prevents the start, and its password is not shown', () => {
  for (const url of [
    'http://:secret@host',
    'redis://',
    'redis://:secret@',
    'redis://:secret@host/name',
    'redis://:secret@host/0?enableOfflineQueue=true',
    'redis://:secret@host:65536',
    'redis://:secret%E0%A4@host',
    'redis://a b:secret@host',
  ]) {
    assert.throws(
      () => read([], { REDIS_URL: url }),
      ({ message }: Error) => message.startsWith('REDIS_URL=… is not allowed') && !message.includes('secret'),
      url,
    )
  }
})
