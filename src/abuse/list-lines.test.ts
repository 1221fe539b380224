import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLineParser } from './list-lines.ts'

/** What publishers send, as they send it. */
const samples: { name: string; format: string; text: string; addresses: string[] }[] = [
  {
    name: 'a hosts file',
    format: 'hosts file',
    text: '# Title: hosts\r\n\r\n127.0.0.1 localhost\n::1 localhost ip6-localhost\n0.0.0.0 0.0.0.0\n0.0.0.0 bad.example worse.example # why\n127.0.0.1\tworst.example\n',
    addresses: ['bad.example', 'worse.example', 'worst.example'],
  },
  {
    name: 'a plain list of names, with the byte order mark and the wildcards that some have',
    format: 'host names',
    text: '\uFEFFbad.example\n! comment\n*.worse.example\n.worst.example\nbücher.example\n_dmarc.x.example\n192.0.2.7\n',
    addresses: ['bad.example', 'worse.example', 'worst.example', 'bücher.example', '_dmarc.x.example', '192.0.2.7'],
  },
  {
    name: 'URLhaus, text',
    format: 'URLs',
    text: '###\n# abuse.ch URLhaus Plain Text URL List #\nhttp://192.0.2.7:56998/Mozi.m\nhttps://bad.example/a,b.exe?x="1"\n',
    addresses: ['http://192.0.2.7:56998/Mozi.m', 'https://bad.example/a,b.exe?x="1"'],
  },
  {
    name: 'URLhaus, CSV',
    format: 'CSV',
    text:
      '################\n# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter\n' +
      '"3123456","2026-11-21 10:00:09","http://bad.example/a,b.exe","online","2026-11-21 10:00:09","malware_download","elf,mozi","https://urlhaus.abuse.ch/url/3123456/","someone"\n',
    addresses: ['http://bad.example/a,b.exe'],
  },
  {
    name: 'PhishTank, CSV',
    format: 'CSV',
    text:
      'phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target\r\n' +
      '8012345,https://bad.example/login,http://www.phishtank.com/phish_detail.php?phish_id=8012345,2026-11-21T10:00:00+00:00,yes,2026-11-21T10:01:00+00:00,yes,Other\r\n' +
      '8012346,"https://bad.example/a,b?""q""",http://www.phishtank.com/phish_detail.php?phish_id=8012346,2026-11-21T10:00:00+00:00,yes,2026-11-21T10:01:00+00:00,yes,Other\r\n',
    addresses: ['https://bad.example/login', 'https://bad.example/a,b?"q"'],
  },
  {
    name: 'OpenPhish and Phishing.Database, also without a scheme',
    format: 'URLs',
    text: 'https://bad.example/\nhttp://worse.example/login.php?x=1,2\nworst.example/path\n',
    addresses: ['https://bad.example/', 'http://worse.example/login.php?x=1,2', 'worst.example/path'],
  },
]

describe('the format is detected', () => {
  for (const { name, format, text, addresses } of samples) {
    test(`of ${name}`, () => {
      const list = createLineParser()
      const found = list.read(text.split('\n'))
      assert.ok(!found.includes(undefined), `every line is understood: ${JSON.stringify(found)}`)
      assert.deepEqual(found.flat(), addresses)
      assert.equal(list.format(), format)
    })
  }
})

test('pages, JSON, prose and damaged rows are invalid lines', () => {
  const foreign = [
    '<!doctype html>',
    '<p>Not found</p>',
    '{"url":"https://bad.example/"}',
    'Please log in',
    'x',
    'http://',
  ]
  const { read } = createLineParser()
  for (const line of foreign) assert.deepEqual(read([line]), [undefined], line)
  const csv = createLineParser()
  assert.deepEqual(csv.read(['id,url', '1', '1,no address']), [[], undefined, undefined])
})

test('a row of CSV that is damaged, or too long, spoils no other, wherever it stands', () => {
  const good = (at: number) => `${at},"http://bad.example/a,b?""${at}"""`
  const found = (at: number) => [`http://bad.example/a,b?"${at}"`]
  for (const bad of ['9,"http://bad.example/', '"9', `9,http://bad.example/${'a'.repeat(20_000)}`]) {
    for (const at of [0, 1, 7, 15]) {
      const list = createLineParser()
      const rows = Array.from({ length: 16 }, (_, row) => (row === at ? bad : good(row)))
      const expected = rows.map((_, row) => (row === at ? undefined : found(row)))
      assert.deepEqual(list.read(['# id,url', ...rows]), [[], ...expected], bad.slice(0, 30))
    }
  }
})

test('a quote that two damaged rows open and close joins no rows', () => {
  const list = createLineParser()
  const rows = [
    '1,"http://bad.example/1',
    '2,http://bad.example/2',
    '3,http://bad.example/3"',
    '4,http://bad.example/4',
  ]
  assert.deepEqual(list.read(['id,url', ...rows]).slice(2), [
    ['http://bad.example/2'],
    ['http://bad.example/3"'],
    ['http://bad.example/4'],
  ])
})
