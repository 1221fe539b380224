import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parse } from 'yaml'

/** A user agent and its labels by others, in quirl's names. Fields without a label are missing. */
export interface Sample {
  userAgent: string
  os?: string
  browser?: string
  device?: string
  bot?: boolean
}

export interface Corpus {
  samples: Sample[]
  /** The labels that are not used, and how often each occurs. */
  leftOut: Map<string, number>
}

type Field = 'os' | 'browser' | 'device'
type Labels = Partial<Record<Field, string>>

/*
 * quirl's name, and the labels with that meaning. Other labels are left out, by label and never agent by agent:
 *
 * - browsers without a row in quirl's tables: retired (Arora, Camino, Dolfin, Flock, Galeon, iCab, Iceape, Minimo, Mosaic,
 *   Netscape, NetFront, Obigo, OmniWeb, Polaris, RockMelt, Skyfire, UP.Browser, …), rare (Dillo, IceCat, K-Meleon,
 *   Lunascape, Midori), or of text terminals (Lynx, Links, ELinks, Uzbl);
 * - Chromes under names that quirl does not distinguish (2345Explorer, Liebao, Iridium, Crosswalk);
 * - programs other than browsers (CFNetwork, iTunes, HbbTV, WebKit Nightly, PhantomJS), and those of cars, consoles and TVs;
 * - systems without a row (AIX, AmigaOS, Haiku, OS/2, QNX, …), makers given as systems (Samsung, Philips,
 *   Kindle), and Chromecast, which is a device.
 */
const labels: Record<'os' | 'browser', Record<string, string>> = {
  browser: {
    '360 Browser': '360 Browser',
    'AVG Secure Browser': 'AVG Secure Browser',
    'Android Browser': 'Android Browser|Android',
    'Android WebView': 'Chrome WebView|Chrome Mobile WebView',
    'Avast Secure Browser': 'Avast Secure Browser',
    Baidu: 'BIDUBrowser|Baidu Browser|baiduboxapp|baidubrowser',
    Basilisk: 'Basilisk',
    'BlackBerry Browser': 'BlackBerry|BlackBerry WebKit',
    Brave: 'Brave',
    Chrome: 'Chrome|Chrome Headless|Chrome Mobile|Chrome Mobile iOS|Chromium|HeadlessChrome',
    'Coc Coc': 'Coc Coc',
    Edge: 'Edge|Edge Mobile',
    Electron: 'Electron',
    'GNOME Web': 'Epiphany',
    Facebook: 'Facebook',
    Falkon: 'Falkon|QupZilla',
    Firefox: 'Firefox|Firefox Alpha|Firefox Focus|Firefox Mobile|Firefox Reality|Firefox iOS|Fennec|Iceweasel',
    'Google app': 'GSA|Google',
    Instagram: 'Instagram',
    'Internet Explorer': 'IE|IE Mobile|IEMobile',
    Konqueror: 'Konqueror',
    LINE: 'LINE|Line',
    'MIUI Browser': 'MIUI Browser|MiuiBrowser',
    Maxthon: 'Maxthon',
    'Meta Quest Browser': 'Oculus Browser',
    'Nokia Browser': 'Nokia Browser|NokiaBrowser|Ovi Browser',
    Opera: 'Opera|Opera Coast|Opera Mobi|Opera Mobile|Opera Tablet|Opera Touch',
    'Opera Mini': 'Opera Mini',
    'Pale Moon': 'Pale Moon|PaleMoon',
    Puffin: 'Puffin',
    QQ: 'QQ',
    'QQ Browser': 'QQ Browser|QQ Browser Mobile|QQBrowser|QQBrowserLite',
    Safari: 'Safari|Mobile Safari',
    'Sailfish Browser': 'Sailfish Browser',
    'Samsung Internet': 'Samsung Browser|Samsung Internet',
    SeaMonkey: 'SeaMonkey',
    Silk: 'Silk|Amazon Silk',
    Sogou: 'MetaSr|Sogou Explorer',
    'UC Browser': 'UC Browser|UCBrowser',
    Vivaldi: 'Vivaldi',
    Waterfox: 'Waterfox',
    WeChat: 'WeChat|WeChat(Win) Desktop',
    Weibo: 'weibo',
    Whale: 'Whale',
    'Yandex Browser': 'Yandex|Yandex Browser',
    'iOS WebView': 'Mobile Safari UI/WKWebView',
  },
  os: {
    Android: 'Android',
    Bada: 'Bada',
    BlackBerry: 'BlackBerry|BlackBerry OS|BlackBerry Tablet OS|RIM Tablet OS',
    ChromeOS: 'Chromium OS|Chrome OS',
    'Firefox OS': 'Firefox OS',
    FreeBSD: 'FreeBSD',
    Fuchsia: 'Fuchsia',
    KaiOS: 'KAIOS|KaiOS',
    Linux:
      'Linux|Arch|Arch Linux|CentOS|Debian|debian|Fedora|Gentoo|gentoo|Kubuntu|Linux Mint|Mandriva|Mint|Raspbian|SUSE|Ubuntu',
    MeeGo: 'MeeGo|Maemo',
    NetBSD: 'NetBSD',
    Nintendo: 'Nintendo',
    OpenBSD: 'OpenBSD',
    PlayStation: 'PlayStation',
    'Sailfish OS': 'Sailfish',
    'Series 40': 'Series40|Nokia Series 40',
    Solaris: 'Solaris',
    Symbian: 'Symbian|Symbian OS|Symbian^3|Symbian^3 Anna',
    Tizen: 'Tizen',
    Windows: 'Windows',
    'Windows Mobile': 'Windows Mobile',
    'Windows Phone': 'Windows Phone|Windows Phone OS',
    Xbox: 'Xbox',
    iOS: 'iOS',
    macOS: 'Mac OS|Mac OS X',
    webOS: 'webOS|Web0S',
  },
}

const types: Record<string, string> = {
  console: 'console',
  embedded: 'other',
  mobile: 'mobile',
  smarttv: 'tv',
  tablet: 'tablet',
  wearable: 'wearable',
}

const automation = new Set(['Chrome Headless', 'HeadlessChrome', 'PhantomJS'])

/**
 * Some 500 agents from the tests of `ua-parser-js` 0.7.28 (MIT), most with one label by hand, be it a browser, a system
 * or a type of device. It is the last release that ships its tests and has no advisory; its code is never loaded.
 */
export function handLabelled(): Corpus {
  return translated(labelledByHand())
}

/**
 * The browser and the system of the same agents by `uap-core` 0.18 (Apache-2.0), if they have no label by
 * hand. Its package has its tables but not its tests: this is another parser's result, which has errors too. It takes
 * WeChat for QQ Browser, Android's HTTP client for its browser, and knows neither vivo's, OPPO's nor Huawei's browser.
 */
export function secondOpinions(): Corpus {
  const labelsOf = createSecondOpinion()
  return translated(
    new Map(
      [...labelledByHand()].map(([userAgent, byHand]) => {
        const opinion = labelsOf(userAgent)
        for (const field of Object.keys(byHand) as Field[]) delete opinion[field]
        return [userAgent, opinion]
      }),
    ),
  )
}

function translated(agents: Map<string, Labels>): Corpus {
  const leftOut = new Map<string, number>()
  const samples = [...agents].map(([userAgent, given]): Sample => {
    const sample: Sample = { userAgent }
    for (const [field, label] of Object.entries(given) as [Field, string][]) {
      const name = meanings[field].get(label)
      // They have one name for both; quirl distinguishes them by the word in the agent.
      if (name !== undefined) sample[field] = name === 'iOS' && userAgent.includes('iPad') ? 'iPadOS' : name
      else leftOut.set(`${field} ${label}`, (leftOut.get(`${field} ${label}`) ?? 0) + 1)
    }
    if (given.browser !== undefined && automation.has(given.browser)) sample.bot = true
    else if (sample.browser !== undefined) sample.bot = false
    return sample
  })
  return { samples, leftOut }
}

const meanings: Record<Field, Map<string, string>> = {
  browser: byLabel(labels.browser),
  os: byLabel(labels.os),
  device: new Map(Object.entries(types)),
}

function byLabel(names: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(names).flatMap(([name, list]) => list.split('|').map((label) => [label, name] as const)),
  )
}

function labelledByHand(): Map<string, Labels> {
  const agents = new Map<string, Labels>()
  for (const field of ['browser', 'os', 'device'] as const) {
    const rows = JSON.parse(fileOf(`ua-parser-js/test/${field}-test.json`)) as Row[]
    for (const { ua, expect } of rows) {
      const label = field === 'device' ? expect.type : expect.name
      // Some rows of the package have no agent, and some expect no label.
      if (ua === '' || label === undefined || label === 'undefined') continue
      agents.set(ua, { ...agents.get(ua), [field]: label })
    }
  }
  return agents
}

interface Row {
  ua: string
  expect: { name?: string; type?: string }
}

/** Parses `regexes.yaml` by its specification: the first expression that matches, its replacement or its first group. */
function createSecondOpinion(): (userAgent: string) => Labels {
  const tables = parse(fileOf('uap-core/regexes.yaml')) as Record<string, Record<string, string>[]>
  const compile = (table: string, replacement: string) =>
    (tables[table] ?? []).map((row) => ({
      pattern: new RegExp(row['regex'] ?? '', row['regex_flag']),
      name: row[replacement] ?? '$1',
    }))
  const families = compile('user_agent_parsers', 'family_replacement')
  const systems = compile('os_parsers', 'os_replacement')
  const first = (rows: typeof families, userAgent: string) => {
    for (const { pattern, name } of rows) {
      const groups = pattern.exec(userAgent)
      if (groups !== null) return name.replace(/\$(\d)/g, (_, index) => groups[Number(index)] ?? '').trim()
    }
    return undefined
  }
  return (userAgent) => {
    const browser = first(families, userAgent)
    const os = first(systems, userAgent)
    return { ...(browser !== undefined && { browser }), ...(os !== undefined && { os }) }
  }
}

function fileOf(path: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(path), 'utf8')
}

/**
 * Agents of this decade, which the packages are too old for: system, browser, device (- is unknown), agent.
 * The author of the tables wrote them by hand in the vendors' forms: they show which agents must work, not how well
 * the tables recognize unforeseen ones.
 */
export const presentAgents = `
Windows | Chrome | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36
Windows | Edge | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0
Windows | Opera | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0
Windows | Opera | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0 (Edition GX-CN)
Windows | Vivaldi | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Vivaldi/7.6.3797.58
Windows | Yandex Browser | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 YaBrowser/25.8.0.0 Safari/537.36
Windows | Whale | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Whale/4.33.325.17 Safari/537.36
Windows | Coc Coc | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) coc_coc_browser/131.0.0 Chrome/125.0.0.0 Safari/537.36
Windows | WeChat | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/132.0.0.0 Safari/537.36 MicroMessenger/7.0.20.1781(0x6700143B) NetType/WIFI MiniProgramEnv/Windows WindowsWechat/WMPF WindowsWechat(0x63090a13) UnifiedPCWindowsWechat(0xf254032b) XWEB/13655
Windows | Firefox | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0
Windows | Internet Explorer | desktop | Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; Touch; rv:11.0) like Gecko
Windows | Internet Explorer | desktop | Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; SLCC2; .NET CLR 2.0.50727; Tablet PC 2.0; rv:11.0) like Gecko
Windows | Slack | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.39.95 Chrome/126.0.6478.127 Electron/31.2.1 Safari/537.36 Sonic Slack_SSB/4.39.95
Windows | Discord | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) discord/1.0.9163 Chrome/124.0.6367.243 Electron/30.2.0 Safari/537.36
Windows | Microsoft Teams | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Teams/1.6.00.4472 Chrome/87.0.4280.141 Electron/11.5.0 Safari/537.36
Windows | Electron | desktop | Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Obsidian/1.6.7 Chrome/124.0.6367.243 Electron/30.1.2 Safari/537.36
macOS | Chrome | desktop | Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36
macOS | Safari | desktop | Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15
macOS | DuckDuckGo | desktop | Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15 Ddg/18.5
macOS | - | desktop | Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)
macOS | Firefox | desktop | Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0
Linux | Chrome | desktop | Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36
Linux | Firefox | desktop | Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0
Linux | GNOME Web | desktop | Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15 Epiphany/605.1.15
ChromeOS | Chrome | desktop | Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36
FreeBSD | Firefox | desktop | Mozilla/5.0 (X11; FreeBSD amd64; rv:140.0) Gecko/20100101 Firefox/140.0
Android | Chrome | mobile | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36
Android | Chrome | tablet | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36
Android | Edge | mobile | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36 EdgA/141.0.0.0
Android | Opera | mobile | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36 OPR/92.0.0.0
Android | Samsung Internet | mobile | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36
Android | Samsung Internet | tablet | Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Safari/537.36
Android | DuckDuckGo | mobile | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36 Ddg/139.0.0.0
Android | Ecosia | mobile | Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36 (Ecosia android@141.0.7390.43)
Android | Firefox | mobile | Mozilla/5.0 (Android 15; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0
Android | Firefox | tablet | Mozilla/5.0 (Android 13; Tablet; rv:144.0) Gecko/144.0 Firefox/144.0
Android | MIUI Browser | mobile | Mozilla/5.0 (Linux; Android 13; 22101316G Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/118.0.0.0 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.8.0-gn
Android | UC Browser | mobile | Mozilla/5.0 (Linux; U; Android 13; en-US; RMX3686 Build/TP1A.220905.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.58 UCBrowser/13.7.5.1321 Mobile Safari/537.36
Android | OPPO Browser | mobile | Mozilla/5.0 (Linux; U; Android 13; zh-cn; PHB110 Build/TP1A.220905.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/109.0.5414.118 Mobile Safari/537.36 HeyTapBrowser/45.11.5.1
Android | Opera Mini | mobile | Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16
HarmonyOS | Huawei Browser | mobile | Mozilla/5.0 (Linux; Android 10; HarmonyOS; NOH-AN00; HMSCore 6.13.0.302) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.5735.196 HuaweiBrowser/15.0.4.312 Mobile Safari/537.36
HarmonyOS | Huawei Browser | mobile | Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile HuaweiBrowser/5.0.4.300
Android | Silk | tablet | Mozilla/5.0 (Linux; Android 11; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/127.3.1 like Chrome/127.0.6533.84 Safari/537.36
Android | Silk | tv | Mozilla/5.0 (Linux; Android 9; AFTKA) AppleWebKit/537.36 (KHTML, like Gecko) Silk/120.4.1 like Chrome/120.0.6099.230 Safari/537.36
Android | Android WebView | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36
Android | Instagram | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 Instagram 340.0.0.22.109 Android (34/14; 450dpi; 1080x2115; samsung; SM-S918B; dm3q; qcom; de_DE; 621984093)
Android | Threads | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 Barcelona 340.0.0.30.109 Android (34/14; 450dpi; 1080x2115; samsung; SM-S918B; dm3q; qcom; de_DE; 621984093)
Android | Facebook | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/470.1.0.44.78;]
Android | Messenger | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 [FB_IAB/Orca-Android;FBAV/467.0.0.52.109;]
Android | TikTok | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 musical_ly_2023505030 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/musical_ly app_version/35.5.3 ByteLocale/de-DE ByteFullLocale/de-DE Region/DE BytedanceWebview/d8a21c6
Android | TikTok | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 trill_350503 JsSdk/1.0 NetType/4G Channel/googleplay AppName/trill app_version/35.5.3 ByteLocale/ja BytedanceWebview/d8a21c6
Android | Google app | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 GSA/15.24.29.29.arm64
Android | LINE | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 Line/14.9.1/IAB
Android | KakaoTalk | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36;KAKAOTALK 2410850
Android | Naver | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 NAVER(inapp; search; 2000; 12.8.6)
Android | Yahoo! Japan | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 YJApp-ANDROID jp.co.yahoo.android.yjtop/3.187.0
Android | Pinterest | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 [Pinterest/Android]
Android | Snapchat | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 Snapchat/12.91.0.40 (SM-S918B; Android 14#S918BXXS7CXG1#34; gzip; )
Android | X | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 TwitterAndroid
Android | Telegram | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 Telegram-Android/11.1.3 (Samsung SM-S918B; Android 14; SDK 34; HIGH)
Android | LinkedIn | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 LinkedInApp/4.1.980
Android | Zalo | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 Zalo android/24080450
Android | Bing | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 BingWeb/9.4.26267402
Android | WeChat | mobile | Mozilla/5.0 (Linux; Android 14; 2211133C Build/UKQ1.230804.001; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160117 MMWEBSDK/20240404 MMWEBID/2247 MicroMessenger/8.0.49.2600(0x2800313D) WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64 Process/tools
Android | QQ | mobile | Mozilla/5.0 (Linux; Android 13; V2241A Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/109.0.5414.86 MQQBrowser/6.2 TBS/046805 Mobile Safari/537.36 V1_AND_SQ_9.0.81_6930_YYB_D QQ/9.0.81.17160 NetType/WIFI WebP/0.3.0
Android | Alipay | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 AlipayChannelId/5136 NebulaSDK/1.8.100112 Nebula AlipayDefined(nt:WIFI,ws:360|0|3.0) AliApp(AP/10.5.96.8000) AlipayClient/10.5.96.8000 Language/zh-Hans
Android | Douyin | mobile | Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.122 Mobile Safari/537.36 aweme_300900 JsSdk/1.0 NetType/WIFI AppName/aweme app_version/30.9.0 ByteLocale/zh-CN BytedanceWebview/d8a21c6
iOS | Safari | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1
iOS | Chrome | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0.7390.96 Mobile/15E148 Safari/604.1
iOS | Firefox | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/144.0 Mobile/15E148 Safari/604.1
iOS | Edge | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 EdgiOS/141.0.3537.85 Mobile/15E148 Safari/605.1.15
iOS | Opera | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1 OPT/5.7.0
iOS | DuckDuckGo | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1 Ddg/17.5
iOS | Ecosia | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1 (Ecosia ios@10.2.1.1930)
iOS | Google app | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/333.0.659883814 Mobile/15E148 Safari/604.1
iOS | iOS WebView | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148
iOS | Instagram | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 339.0.3.12.91 (iPhone15,3; iOS 17_5_1; de_DE; de; scale=3.00; 1290x2796; 619461204)
iOS | Facebook | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21F90 [FBAN/FBIOS;FBAV/470.0.0.38.107;FBBV/619204397;FBDV/iPhone15,3;FBMD/iPhone;FBSN/iOS;FBSV/17.5.1;FBSS/3;FBID/phone;FBLC/de_DE;FBOP/5;FBRV/621984093]
iOS | Messenger | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21F90 [FBAN/MessengerForiOS;FBAV/467.1.0.46.109;FBBV/619204397;FBDV/iPhone15,3;FBMD/iPhone;FBSN/iOS;FBSV/17.5.1;FBSS/3;FBID/phone;FBLC/de_DE;FBOP/5]
iOS | TikTok | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 musical_ly_35.4.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/de Region/DE FalconTag/B7F7A5C7 BytedanceWebview/d8a21c6
iOS | Snapchat | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Snapchat/12.91.0.41 (like Safari/8618.2.12.10.9, panda)
iOS | Pinterest | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]
iOS | LinkedIn | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]/9.29.4372
iOS | X | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Twitter for iPhone/10.48
iOS | WeChat | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/zh_CN
iOS | LINE | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/14.11.0
iOS | KakaoTalk | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 KAKAOTALK 10.8.5
iOS | Reddit | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Reddit/Version 2024.30.0/Build 614973
iOS | Weibo | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Weibo (iPhone15,3__weibo__14.8.0__iphone__os17.5.1)
iOS | Baidu | mobile | Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 SP-engine/3.24.0 main%2F1.0 baiduboxapp/13.64.0.10 (Baidu; P2 17.5)
iPadOS | Safari | tablet | Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1
iPadOS | Chrome | tablet | Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0.7390.96 Mobile/15E148 Safari/604.1
KaiOS | Firefox | mobile | Mozilla/5.0 (Mobile; Nokia 2780 Flip; rv:84.0) Gecko/84.0 Firefox/84.0 KAIOS/3.1
Tizen | - | tv | Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) 94.0.4606.31/7.0 TV Safari/537.36
webOS | Chrome | tv | Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.211 Safari/537.36 WebAppManager
Android | Chrome | tv | Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2 Build/STT2.230505.001) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36
PlayStation | - | console | Mozilla/5.0 (PlayStation; PlayStation 5/9.60) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.4 Safari/605.1.15
Xbox | Edge | console | Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0
Nintendo | - | console | Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/609.4 (KHTML, like Gecko) NF/6.0.3.15.4 NintendoBrowser/5.1.0.23519
Linux | Meta Quest Browser | wearable | Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/33.0.0.19.44 Chrome/124.0.6367.118 VR Safari/537.36
Android | Samsung Internet | wearable | Mozilla/5.0 (Linux; Android 13; SM-R960) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/20.0 Chrome/106.0.5249.126 Mobile Safari/537.36
Linux | Chrome | other | Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.5414.168 Safari/537.36 Tesla/2024.20.9
`
  .trim()
  .split('\n')
  .map((line) => {
    const [os, browser, device, userAgent = ''] = line.split(' | ').map((value) => (value === '-' ? null : value))
    return { userAgent: userAgent ?? '', os, browser, device }
  })

/** Crawlers, previewers and tools as they introduce themselves; written by hand as well. */
export const crawlers = `
Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.7390.54 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
Googlebot-Image/1.0
Googlebot-News
Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)
GoogleOther
AdsBot-Google (+http://www.google.com/adsbot.html)
Mediapartners-Google
APIs-Google (+https://developers.google.com/webmasters/APIs-Google.html)
FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/49.0.2623.75 Safari/537.36 Google Favicon
Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse
Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36
Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b
Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)
DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)
Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)
Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)
Mozilla/5.0 (compatible; YandexImages/3.0; +http://yandex.com/bots)
Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)
Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)
Mozilla/5.0 (compatible; Qwantify/2.4w; +https://www.qwant.com/)/2.4w
Mozilla/5.0 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)
Mozilla/5.0 (compatible; Yeti/1.1; +https://naver.me/spd)
Mozilla/5.0 (compatible; coccocbot-web/1.0; +http://help.coccoc.com/searchengine)
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)
facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)
facebookcatalog/1.0
meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)
Twitterbot/1.0
LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)
Pinterest/0.2 (+https://www.pinterest.com/bot.html)
Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)
Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)
Slackbot 1.0 (+https://api.slack.com/robots)
Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)
TelegramBot (like TwitterBot)
WhatsApp/2.23.20.0
WhatsApp/2.2407.9 N
Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)
Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5
Viberbot/1.0
Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)
Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots
Iframely/1.3.1 (+https://iframely.com/docs/about)
Embedly/0.2
Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)
Mastodon/4.3.1 (http.rb/5.2.0; +https://mastodon.social/) Bot
Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)
Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)
CCBot/2.0 (https://commoncrawl.org/faq/)
Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)
ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)
Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)
Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)
Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)
Mozilla/5.0 (compatible; DotBot/1.2; +https://opensiteexplorer.org/dotbot; help@moz.com)
Mozilla/5.0 (compatible; BLEXBot/1.0; +http://webmeup-crawler.com/)
Mozilla/5.0 (compatible; DataForSeoBot/1.0; +https://dataforseo.com/dataforseo-bot)
serpstatbot/2.1 (advanced backlink tracking bot; https://serpstatbot.com/; abuse@serpstatbot.com)
Screaming Frog SEO Spider/20.2
Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)
Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)
Mozilla/5.0 (compatible; StatusCake)
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36
Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1
Mozilla/5.0 zgrab/0.x
Expanse, a Palo Alto Networks company, searches across the global IPv4 space multiple times per day to identify customers&#39; presences on the Internet.
Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)
masscan/1.3 (https://github.com/robertdavidgraham/masscan)
Mozilla/5.0 (compatible; Nmap Scripting Engine; https://nmap.org/book/nse.html)
curl/8.9.1
Wget/1.24.5
HTTPie/3.2.2
python-requests/2.32.3
Python-urllib/3.12
Python/3.12 aiohttp/3.10.1
python-httpx/0.27.0
Scrapy/2.11.2 (+https://scrapy.org)
Go-http-client/2.0
Java/17.0.11
Apache-HttpClient/4.5.14 (Java/17.0.11)
okhttp/4.12.0
axios/1.7.2
node-fetch/1.0 (+https://github.com/bitinn/node-fetch)
node
undici
got (https://github.com/sindresorhus/got)
libwww-perl/6.77
Ruby
PostmanRuntime/7.40.0
insomnia/9.3.3
Dart/3.4 (dart:io)
GuzzleHttp/7
PHP/8.3.9
WordPress/6.6.1; https://example.com
Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17830; Pro)
Feedly/1.0 (+http://www.feedly.com/fetcher.html; like FeedFetcher-Google)
W3C_Validator/1.3 http://validator.w3.org/services
GoogleImageProxy
Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)
Mozilla/5.0 (compatible; MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview)
Mozilla/5.0 (compatible; TrendictionBot0.5.0; trendiction search)
Barkrowler/0.9 (+https://babbar.tech/crawler)
Cloudflare-Healthchecks/1.0; +https://www.cloudflare.com/
ELB-HealthChecker/2.0
kube-probe/1.30
Prometheus/2.53.1
Blackbox Exporter/0.25.0
`
  .trim()
  .split('\n')
