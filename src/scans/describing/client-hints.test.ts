import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../test/support/fast-check.ts'
import { presentAgents } from '../../../test/support/agent-corpus.ts'
import { browsers, deviceNames, systemNames } from '../../lib/agent-tables.ts'
import { createAgentParser } from './agent.ts'

const read = createAgentParser()

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const onLinux = `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/141.0.0.0 Safari/537.36`
const onWindows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/141.0.0.0 Safari/537.36`
const onPhone = `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/141.0.0.0 Mobile Safari/537.36`
const brandsOf = (name: string) => `"Not;A=Brand";v="8", "Chromium";v="141", "${name}";v="141"`

test('a hint names the system that a browser hides when it requests desktop sites', () => {
  const hints = { 'sec-ch-ua-platform': '"Android"' }
  const { os, device } = read(onLinux, { ...hints, 'sec-ch-ua-mobile': '?1' })
  assert.deepEqual([os, device], ['Android', 'mobile'])
  assert.equal(read(onLinux, { ...hints, 'sec-ch-ua-mobile': '?0' }).device, 'tablet')
  assert.equal(read(onLinux, { 'sec-ch-ua-platform': '"Chrome OS"' }).os, 'ChromeOS')
})

test('a hint names the browser that claims to be Chrome', () => {
  const names = { Brave: 'Brave', 'Microsoft Edge': 'Edge', 'Opera GX': 'Opera', Vivaldi: 'Vivaldi' }
  for (const [name, browser] of Object.entries(names))
    assert.equal(read(onWindows, { 'sec-ch-ua': brandsOf(name) }).browser, browser)
  assert.equal(read(onWindows, { 'sec-ch-ua': brandsOf('Google Chrome') }).browser, 'Chrome')
})

test('a headless browser is a bot, though its user agent says Chrome', () => {
  assert.equal(read(onLinux).bot, false)
  assert.equal(read(onLinux, { 'sec-ch-ua': brandsOf('HeadlessChrome') }).bot, true)
})

test('a model or a form that a proxy has asked for names the device', () => {
  const hints = { 'sec-ch-ua-platform': '"Android"', 'sec-ch-ua-mobile': '?1' }
  assert.equal(read(onPhone, { ...hints, 'sec-ch-ua-model': '"SM-X710"' }).device, 'tablet')
  assert.equal(read(onPhone, { ...hints, 'sec-ch-ua-form-factors': '"XR"' }).device, 'wearable')
  assert.equal(read(onPhone, { ...hints, 'sec-ch-ua-model': '"SM-S921B"' }).device, 'mobile')
})

test('a user agent that is more exact than a hint is believed', () => {
  const xbox = `Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) ${webkit} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`
  const hints = { 'sec-ch-ua-platform': '"Windows"', 'sec-ch-ua-mobile': '?0', 'sec-ch-ua': brandsOf('Microsoft Edge') }
  assert.deepEqual(read(xbox, hints), read(xbox))
  const huawei = `Mozilla/5.0 (Linux; Android 10; HarmonyOS; NOH-AN00; HMSCore 6.13.0.302) ${webkit} Chrome/114.0.5735.196 HuaweiBrowser/15.0.4.312 Mobile Safari/537.36`
  assert.deepEqual(read(huawei, { 'sec-ch-ua-platform': '"Android"', 'sec-ch-ua-mobile': '?1' }), read(huawei))
})

test('a hint longer than any real one is ignored', () => {
  assert.equal(read(onWindows, { 'sec-ch-ua': brandsOf('Brave') + ' '.repeat(512) }).browser, 'Chrome')
})

test('hints that agree with the user agent change nothing', () => {
  const hintOf: Record<string, string> = {
    Windows: '"Windows"',
    macOS: '"macOS"',
    Android: '"Android"',
    Linux: '"Linux"',
  }
  for (const { userAgent, os, device } of presentAgents) {
    const platform = hintOf[os ?? '']
    if (platform === undefined) continue
    const mobile = device === 'mobile' ? '?1' : '?0'
    const hints = { 'sec-ch-ua-platform': platform, 'sec-ch-ua-mobile': mobile, 'sec-ch-ua': brandsOf('Chromium') }
    assert.deepEqual(read(userAgent, hints), read(userAgent), userAgent)
  }
})

test('whatever hints say, the result has only names of the tables', () => {
  const names = new Set<string | null>([null, ...systemNames, ...deviceNames, ...browsers.map(({ name }) => name)])
  const value = fc.oneof(
    fc.constantFrom(
      '"Android"',
      '"__proto__"',
      '"constructor"',
      '?1',
      '"Tablet"',
      brandsOf('Brave'),
      brandsOf('constructor'),
    ),
    fc.string({ unit: anyCharacter, maxLength: 60 }),
  )
  const headers = fc.record(
    {
      'sec-ch-ua': value,
      'sec-ch-ua-platform': value,
      'sec-ch-ua-mobile': value,
      'sec-ch-ua-model': value,
      'sec-ch-ua-form-factors': value,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.constantFrom('', onLinux, onPhone, onWindows), headers, (userAgent, hints) => {
      const { device, os, browser, bot } = read(userAgent, hints)
      for (const name of [device, os, browser]) assert.ok(names.has(name), String(name))
      assert.equal(typeof bot, 'boolean')
    }),
  )
})
