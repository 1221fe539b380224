import assert from 'node:assert/strict'
import { test } from 'node:test'
import { list as botWords } from 'isbot'
import { fc } from '../../../test/support/fast-check.ts'
import { handLabelled, presentAgents, secondOpinions } from '../../../test/support/agent-corpus.ts'
import { createVisitorOf } from '../../visits/platform.ts'
import { systemNames } from '../../lib/agent-tables.ts'
import { createAgentParser } from './agent.ts'

const read = createAgentParser()
const agentOf = ({ headers }: { headers: Record<string, string> }) => read(headers['user-agent'], headers)
const visitorOf = createVisitorOf(agentOf as never)
const platformOf = (userAgent: string, hints = {}) =>
  visitorOf({ headers: { 'user-agent': userAgent, ...hints } } as never).platform

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const androidOf = (model: string) =>
  `Mozilla/5.0 (Linux; Android 13; ${model}) ${webkit} Chrome/124.0.0.0 Mobile Safari/537.36`
const facebookOf = (model: string, carrier: string) =>
  `[FBAN/FB4A;FBAV/567.1.0.52.74;FBBV/1003893689;FBDM/{density=3.0,width=1080,height=2340};FBLC/de_DE;FBRV/1;FBCR/${carrier};FBMF/samsung;FBBD/samsung;FBPN/com.facebook.katana;FBDV/${model};FBSV/16;FBOP/1;FBCA/arm64-v8a:;]`
const instagramOf = (model: string) =>
  `Mozilla/5.0 (Linux; Android 14; ${model} Build/UP1A.231005.007; wv) ${webkit} Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 Instagram 340.0.0.22.109 Android (34/14; 450dpi; 1080x2115; samsung; ${model}; dm3q; qcom; de_DE; 621984093)`

test('an iPhone or iPad that requests desktop sites is sent to the App Store, a Mac is not', () => {
  const products = [
    'CriOS/147 Version/11.1.1 Safari/605.1.15',
    'FxiOS/128.0 Safari/605.1.15',
    'Version/18.0 EdgiOS/141.0.0.0 Safari/605.1.15',
    'GSA/389.0.8 Mobile/15E148 Safari/604.1',
    'GSA/389.0.8 Safari/605.1.15',
    'Mobile/15E148 DuckDuckGo/7',
  ]
  for (const product of products) {
    const { os, device, bot } = read(`${mac} ${product}`)
    assert.deepEqual({ os, device, bot }, { os: 'iOS', device: 'mobile', bot: false }, product)
    assert.equal(platformOf(`${mac} ${product}`), 'ios')
  }
  for (const product of ['Version/26.0 Safari/605.1.15', 'Version/18.5 Safari/605.1.15 Ddg/18.5'])
    assert.equal(platformOf(`${mac} ${product}`), 'other', product)
})

test('a system that is like another one has no store of that one', () => {
  const agents = {
    KaiOS:
      'Mozilla/5.0 (Mobile; LYF/F30C/LYF_F30C-000-09-10-140318; Android; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.0',
    'Sailfish OS':
      'Mozilla/5.0 (Maemo; Linux; U; Jolla; Sailfish; Mobile; rv:31.0) Gecko/31.0 Firefox/31.0 SailfishBrowser/1.0 like Android',
    Linux:
      'Mozilla/5.0 (Librem 5, like iPhone; X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15 Epiphany/605.1.15',
    'Windows Phone':
      'Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; NOKIA; Lumia 520) like iPhone OS 7_0_3 Mac OS X AppleWebKit/537 (KHTML, like Gecko) Mobile Safari/537',
    HarmonyOS: `Mozilla/5.0 (Phone; OpenHarmony 5.0) ${webkit} Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile HuaweiBrowser/5.0.4.300`,
  }
  for (const [os, agent] of Object.entries(agents)) {
    assert.equal(read(agent).os, os, agent)
    assert.equal(platformOf(agent), 'other', agent)
  }
})

test('a HarmonyOS that runs apps of Android is sent to the store of Android', () => {
  const agent = `Mozilla/5.0 (Linux; Android 10; HarmonyOS; NOH-AN00; HMSCore 6.13.0.302) ${webkit} Chrome/114.0.5735.196 HuaweiBrowser/15.0.4.312 Mobile Safari/537.36`
  assert.equal(read(agent).os, 'HarmonyOS')
  assert.equal(platformOf(agent), 'android')
})

test("the store is that of the recorded system, for every agent of the corpora but HarmonyOS's", () => {
  const stores: Record<string, string> = { iOS: 'ios', iPadOS: 'ios', Android: 'android' }
  const samples = [...handLabelled().samples, ...secondOpinions().samples, ...presentAgents]
  for (const { userAgent } of samples) {
    const { os } = read(userAgent)
    if (os !== 'HarmonyOS') assert.equal(platformOf(userAgent), stores[os ?? ''] ?? 'other', userAgent)
  }
})

test("Facebook's own agent on Android is a person's phone with Android, whatever the carrier is called", () => {
  for (const carrier of ['NL KPN', 'T-Mobile', 'Verizon', '', 'Spider] bot', 'crawl.com'])
    for (const model of ['SM-S921B', 'Discovery SE', 'iPhone bot']) {
      const agent = facebookOf(model, carrier)
      assert.deepEqual(read(agent), { device: 'mobile', os: 'Android', browser: 'Facebook', bot: false }, agent)
      assert.equal(platformOf(agent), 'android')
    }
  assert.equal(read(facebookOf('SM-T860', 'Verizon')).device, 'tablet')
  const iPhone =
    '[FBAN/FBIOS;FBAV/283.0.0.44.117;FBBV/238386386;FBDV/iPhone12,1;FBMD/iPhone;FBSN/iOS;FBSV/13.6.1;FBSS/2;FBCR/T-Mobile;FBID/phone;FBLC/en_US;FBOP/5;FBRV/240127608]'
  assert.deepEqual(read(iPhone), { device: 'mobile', os: 'iOS', browser: 'Facebook', bot: false })
})

test("Instagram's own agent on Android is a phone's", () => {
  const agent =
    'Instagram 340.0.0.22.109 Android (34/14; 450dpi; 1080x2115; samsung; SM-S918B; dm3q; qcom; de_DE; 621984093)'
  assert.deepEqual(read(agent), { device: 'mobile', os: 'Android', browser: 'Instagram', bot: false })
})

const oddModels = [
  'S60',
  'S6001L',
  'BlackBerry Key2',
  'A512 Harmony Pro',
  'M bot 60',
  'M bot (60)',
  'M bot (60',
  'M bot (60 moto g(7) spider',
  'IDbot553',
  'POWER BOT',
  'XBot Junior',
  'Discovery Pro',
  'Discovery SE',
  'Spider 8',
  'Xbox 1',
  'iPhone 15 Pro Max',
  'Windows Phone X',
  'moto g(7) spider',
]

test('Android phones whose models are named like bots or other systems are phones with Android', () => {
  for (const model of oddModels) {
    const { os, browser, bot } = read(androidOf(model))
    assert.deepEqual({ os, browser, bot }, { os: 'Android', browser: 'Chrome', bot: false }, model)
  }
})

test("the model changes neither the system, the browser nor whether it is a bot's, in any form of agent", () => {
  const words = [...botWords.filter((word) => /^\w+$/.test(word)), ...systemNames, ...oddModels, 'Opera', 'Firefox']
  const word = fc.oneof(fc.constantFrom(...words), fc.stringMatching(/^[A-Za-z][A-Za-z0-9_ -]{0,12}$/))
  const model = fc
    .tuple(fc.stringMatching(/^[A-Z][a-z]{0,5}$/), fc.array(word, { minLength: 1, maxLength: 3 }))
    .map(([maker, rest]) => [maker, ...rest].join(' ').trim())
    // A part such as `Android 4` is a system's.
    .filter(
      (name) =>
        !/^(?:Android|Adr|OpenHarmony|Linux|Maemo|Jolla|Sailfish|Ubuntu|Tizen|Windows Phone|Opera)\b/.test(name),
    )
  const forms = [androidOf, instagramOf, (name: string) => facebookOf(name, name)]
  fc.assert(
    fc.property(model, fc.constantFrom(...forms), (name, form) => {
      const { os, browser, bot } = read(form(name))
      const plain = read(form('K'))
      assert.deepEqual({ os, browser, bot }, { os: plain.os, browser: plain.browser, bot: plain.bot }, form(name))
    }),
    { numRuns: 2000 },
  )
})

test("Sogou's browser is a person's, and its crawler is none", () => {
  const browser = `Mozilla/5.0 (Linux; Android 10; ZTE A2020 SP Build/QKQ1; wv) ${webkit} Version/4.0 Chrome/68.0.3440.106 Mobile Safari/537.36 AWP/2.0 SogouMSE,SogouMobileBrowser/6.5.11`
  assert.deepEqual(read(browser), { device: 'mobile', os: 'Android', browser: 'Sogou', bot: false })
  assert.ok(read('Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)').bot)
})

test('services and scanners that call themselves browsers are bots', () => {
  const agents = [
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/117.0.0.0 Safari/537.36 GTmetrix`,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-User/0.1) Chrome/119.0.6045.214 Safari/537.36',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/60.0.3122.113 Safari/537.36 Assetnote/1.0.0`,
    `Mozilla/5.0 (X11; Linux x86_64) Miniature.io/6.0 ${webkit} QtWebEngine/5.12.4 Chrome/69.0.3497.128 Safari/537.36`,
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_6) ${webkit} YLT Chrome/85.0.4183.121 Safari/537.36`,
    `Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012; Storebot-Google/1.0) ${webkit} Chrome/81.0.4044.138 Mobile Safari/537.36`,
    `Mozilla/5.0 (Linux; Android 6.0; compatible; SomeBot; +http://example.com/) ${webkit} Chrome/81.0 Mobile Safari/537.36`,
  ]
  for (const agent of agents) assert.ok(read(agent).bot, agent)
})

test('a phone before Android is a person, and a crawler that claims to be one is a bot', () => {
  for (const agent of ['SonyEricssonT68/R201A', 'SonyEricssonT100/R101']) assert.equal(read(agent).bot, false, agent)
  assert.ok(
    read(
      'SAMSUNG-SGH-E250/1.0 Profile/MIDP-2.0 Configuration/CLDC-1.1 UP.Browser/6.2.3.3.c.1.101 (GUI) MMP/2.0 (compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)',
    ).bot,
  )
})
