/**
 * Names by pattern, in ordered tables: the first row that matches wins. Most user agents name several products (Edge
 * names Chrome and Safari, Android names Linux), so that a specific row stands above a general one.
 *
 * A pattern is either literal words with bounded repetition, or begins with ^ and searches for such words in one pass:
 * it takes linear time. The names are those that people know, and the only text of a user agent that is stored.
 */
export interface Row<Name extends string = string> {
  readonly name: Name
  readonly pattern: RegExp
}

export type Device = 'mobile' | 'tablet' | 'desktop' | 'tv' | 'console' | 'wearable' | 'other'

/** The values that a scan records of a user agent. Unknown is null. */
export interface Agent {
  readonly device: Device | null
  readonly os: string | null
  readonly browser: string | null
  readonly bot: boolean
}

/** Browsers and web views of iPhones and iPads. Those that request desktop sites claim to be a Mac. */
const browsersOfApple = { pattern: /\b(?:CriOS|FxiOS|EdgiOS|OPiOS|YaApp_iOS)\/|\bPinterest\/iOS/ }
const desktopSite = { pattern: /^(?=[^]*\bMacintosh\b)[^]*\b(?:GSA|Mobile|OPT)\/\d/ }
/** Facebook's and Instagram's own agents on Android, which name no browser and often no system. */
const appsOnAndroid = {
  pattern:
    /\bFBAN\/(?:FB4A|EMA|MLite|PAAA|[A-Za-z-]{2,24}Android)\b|\bFBPN\/com\.facebook\b|^(?:Instagram|Barcelona) [\d.]{1,24} Android\b/,
}

export const systems: readonly Row[] = [
  // Consoles and Windows phones named other systems, for compatibility.
  { name: 'Xbox', pattern: /\bXbox\b/ },
  { name: 'PlayStation', pattern: /\bPlaystation\b/i },
  { name: 'Nintendo', pattern: /\bNintendo\b/ },
  { name: 'Windows Phone', pattern: /\bWindows Phone\b/ },
  { name: 'Windows Mobile', pattern: /\bWindows (?:CE|Mobile)\b/ },
  { name: 'KaiOS', pattern: /\bKAIOS\//i },
  { name: 'HarmonyOS', pattern: /\b(?:OpenHarmony|HarmonyOS)\b/ },
  { name: 'watchOS', pattern: /\b(?:watchOS|Watch OS|Apple ?Watch)\b/ },
  { name: 'tvOS', pattern: /\b(?:tvOS|Apple ?TV)\b/ },
  { name: 'webOS', pattern: /\b(?:[Ww]eb[0O]S|hpwOS)\b/ },
  { name: 'Tizen', pattern: /\bTizen\b/ },
  { name: 'Roku', pattern: /\bRoku/ },
  { name: 'Sailfish OS', pattern: /\bSailfish\b/ },
  { name: 'BlackBerry', pattern: /\b(?:BlackBerry(?!; Android)|BB10|PlayBook|RIM Tablet)/ },
  { name: 'Symbian', pattern: /\b(?:Symbian|SymbOS|Series ?60|S60)/ },
  { name: 'Series 40', pattern: /\bSeries ?40\b/ },
  { name: 'Bada', pattern: /\bBada\b/ },
  { name: 'MeeGo', pattern: /\b(?:MeeGo|Maemo)\b/ },
  // Since iPadOS 13, an iPad requests desktop sites by default and identifies itself as a Mac.
  { name: 'iPadOS', pattern: /(?<!like )\biPad(?:OS)?\b/ },
  { name: 'iOS', pattern: /(?<!like )\b(?:iPhone|iPod|iOS)\b/ },
  // UC Browser writes Adr; its JUC leaves the system out and ran on Android only.
  { name: 'Android', pattern: /(?<!like )Android\b|\bAdr [\d.]|^JUC \(Linux;/i },
  { name: 'Firefox OS', pattern: /\((?:Mobile|Tablet); (?:[^);]{1,40}; )?rv:/ },
  { name: 'ChromeOS', pattern: /\bCrOS\b/ },
  { name: 'Fuchsia', pattern: /\bFuchsia\b/ },
  { name: 'iOS', ...browsersOfApple },
  { name: 'iOS', ...desktopSite },
  { name: 'macOS', pattern: /\b(?:Mac ?OS ?X?|macOS|Macintosh|Mac_PowerPC)\b/i },
  { name: 'Windows', pattern: /\b(?:Windows|Win(?:NT|32|64|9[58]|dows9[58]))\b|\bWin 9x\b/i },
  { name: 'FreeBSD', pattern: /\bFreeBSD\b/ },
  { name: 'OpenBSD', pattern: /\bOpenBSD\b/ },
  { name: 'NetBSD', pattern: /\bNetBSD\b/ },
  { name: 'Solaris', pattern: /\b(?:SunOS|Solaris)\b/ },
  { name: 'Linux', pattern: /\b(?:Linux|Ubuntu|Debian|Fedora|CentOS)\b/i },
  { name: 'Android', ...appsOnAndroid },
]

/** Apps that show pages in a web view, under the name that their users know. */
const apps: readonly Row[] = [
  { name: 'Threads', pattern: /\bBarcelona \d/ },
  { name: 'Instagram', pattern: /\bInstagram \d|\bMetaIAB Instagram\b/ },
  { name: 'Messenger', pattern: /\bFBAN\/(?:Messenger|Orca)|\bFB_IAB\/(?:MESSENGER|Orca)/ },
  { name: 'Facebook', pattern: /\bFB(?:AN|AV|_IAB|DV|SN)\/|\bMetaIAB\b/ },
  { name: 'WhatsApp', pattern: /\bWhatsApp\/\d/ },
  { name: 'WeChat', pattern: /\b(?:MicroMessenger|WindowsWechat|MacWechat)\b/i },
  { name: 'QQ', pattern: /\bQQ\/\d/ },
  { name: 'Weibo', pattern: /\bWeibo\b|__weibo__/ },
  { name: 'Alipay', pattern: /\bAlipayClient\b/ },
  { name: 'Baidu', pattern: /\b(?:baidubox|baidubrowser|BIDUBrowser)/ },
  { name: 'Douyin', pattern: /\baweme[_/]\d/ },
  { name: 'TikTok', pattern: /\b(?:musical_ly|BytedanceWebview|trill_\d|TikTok)/ },
  { name: 'Snapchat', pattern: /\bSnapchat\/\d/ },
  { name: 'Pinterest', pattern: /\[?\bPinterest\/(?:iOS|Android)/ },
  { name: 'LinkedIn', pattern: /\bLinkedInApp\b/ },
  { name: 'X', pattern: /\bTwitter(?: for |Android|\/\d)/ },
  { name: 'Telegram', pattern: /\bTelegram(?:-Android|-iOS)?\/\d/ },
  { name: 'Reddit', pattern: /\bReddit\// },
  { name: 'Discord', pattern: /\b[Dd]iscord\/\d/ },
  { name: 'Slack', pattern: /\bSlack(?:_SSB)?\/\d/ },
  { name: 'Microsoft Teams', pattern: /\bTeams(?:Mobile-\w{3,7})?\/\d/ },
  { name: 'LINE', pattern: /\bLine\/\d/ },
  { name: 'KakaoTalk', pattern: /\bKAKAOTALK\b/i },
  { name: 'Naver', pattern: /\bNAVER\(inapp/ },
  { name: 'Yahoo! Japan', pattern: /\bYJApp-/ },
  { name: 'Viber', pattern: /\bViber\/\d/ },
  { name: 'Zalo', pattern: /\bZalo\b/ },
  { name: 'VK', pattern: /\b(?:VKAndroidApp|VK_iOS|vkShare)\b|\bcom\.vk\./ },
  { name: 'Google app', pattern: /\bGSA\/\d/ },
  { name: 'Bing', pattern: /\bBingWeb\/\d/ },
]

export const browsers: readonly Row[] = [
  ...apps,
  { name: 'Edge', pattern: /\bEdg(?:e|A|iOS|W)?\/\d/ },
  { name: 'Opera Mini', pattern: /\b(?:Opera Mini|OPiOS)\// },
  { name: 'Opera', pattern: /\bOP(?:R|T|X|RGX)\/\d|\bOpera\b|\bCoast\/\d/ },
  { name: 'Meta Quest Browser', pattern: /\bOculusBrowser\// },
  { name: 'Samsung Internet', pattern: /\bSamsungBrowser\// },
  { name: 'Vivaldi', pattern: /\bVivaldi\/\d/ },
  { name: 'Yandex Browser', pattern: /\b(?:YaBrowser|YaApp_(?:Android|iOS)|YaSearchBrowser)\// },
  { name: 'UC Browser', pattern: /\b(?:U[CB]? ?Browser|UCWEB)/ },
  { name: 'QQ Browser', pattern: /QQBrowser/i },
  { name: 'MIUI Browser', pattern: /\bMiuiBrowser\// },
  { name: 'Huawei Browser', pattern: /\bHuaweiBrowser\// },
  { name: 'vivo Browser', pattern: /\bVivoBrowser\// },
  { name: 'OPPO Browser', pattern: /\b(?:HeyTap|Oppo)Browser\// },
  { name: '360 Browser', pattern: /\b(?:QihooBrowser|QHBrowser|360SE|360EE)\b/ },
  { name: 'Sogou', pattern: /\bMetaSr\b|\bSogouM(?:obileBrowser|SE)\b/ },
  { name: 'Coc Coc', pattern: /\bcoc_coc_browser\// },
  { name: 'Whale', pattern: /\bWhale\/\d/ },
  // A PlayStation Vita names Silk too.
  { name: 'Silk', pattern: /^(?![^]*PlayStation)[^]*\bSilk\/\d/ },
  { name: 'DuckDuckGo', pattern: /\b(?:DuckDuckGo|Ddg)\/\d/ },
  { name: 'Ecosia', pattern: /\bEcosia\b/ },
  { name: 'Brave', pattern: /\bBrave(?:\/\d| Chrome\/)/ },
  { name: 'Aloha', pattern: /\bAlohaBrowser\// },
  { name: 'Puffin', pattern: /\bPuffin\/\d/ },
  { name: 'Maxthon', pattern: /\b(?:Maxthon|MxBrowser)\b/ },
  { name: 'Avast Secure Browser', pattern: /\bAvast\/\d/ },
  { name: 'AVG Secure Browser', pattern: /\bAVG\/\d/ },
  { name: 'Electron', pattern: /\bElectron\/\d/ },
  { name: 'Konqueror', pattern: /\bKonqueror\//i },
  { name: 'Falkon', pattern: /\b(?:Falkon|QupZilla)\/\d/ },
  { name: 'GNOME Web', pattern: /\bEpiphany\/\d/ },
  { name: 'Sailfish Browser', pattern: /\bSailfishBrowser\// },
  { name: 'SeaMonkey', pattern: /\bSeaMonkey\/\d/ },
  { name: 'Pale Moon', pattern: /\bPaleMoon\/\d/ },
  { name: 'Basilisk', pattern: /\bBasilisk\/\d/ },
  { name: 'Waterfox', pattern: /\bWaterfox\/\d/ },
  { name: 'Internet Explorer', pattern: /\bMSIE \d|\bTrident\/\d|\bIEMobile\b/ },
  { name: 'Firefox', pattern: /\b(?:Firefox|FxiOS|Focus|Klar|Fennec|Iceweasel)\/\d/ },
  // Since Android 5 a web view adds wv; before, it was Chrome with a Version.
  { name: 'Android WebView', pattern: /; wv\)|\bVersion\/\d\.\d Chrome\/\d/ },
  { name: 'Chrome', pattern: /\b(?:Chrome|Chromium|CriOS|CrMo|HeadlessChrome)\b/ },
  { name: 'BlackBerry Browser', pattern: /\b(?:BlackBerry|BB10|PlayBook)/ },
  { name: 'Nokia Browser', pattern: /\b(?:NokiaBrowser|S40OviBrowser|BrowserNG)\/\d/ },
  { name: 'Android Browser', pattern: /^(?=[^]*\bAndroid\b)[^]*\b(?:Version|AppleWebKit)\/\d/ },
  { name: 'Safari', pattern: /^(?=[^]*\b(?:iPhone|iPad|iPod|Macintosh|Windows)\b)[^]*\bSafari\/\d/ },
  // The web view of an app that adds no name.
  { name: 'iOS WebView', pattern: /^(?=[^]*\b(?:iPhone|iPad|iPod)\b)[^]*\bAppleWebKit\/\d/ },
]

export const devices: readonly Row<Device>[] = [
  { name: 'console', pattern: /\b(?:Playstation|Nintendo|Xbox|OUYA|Steam ?Deck)\b/i },
  { name: 'other', pattern: /\b(?:QtCarBrowser|Tesla)\b|\bDeviceType\/SmartSpeaker\b|\bAlexaWebMediaPlayer\b/ },
  { name: 'tv', pattern: /\b(?:Smart[-_ ]?TV|Apple ?TV|Google ?TV|Android ?TV|Opera TV|HbbTV|NetTV|tvOS)/i },
  { name: 'tv', pattern: /\b(?:DTV|TV|NetCast|Web0S|BRAVIA|VIERA|VIDAA|InettvBrowser|CrKey|Chromecast|MIBOX)\b/ },
  { name: 'tv', pattern: /\b(?:Roku|MiTV|AFT[A-Z]|POV_TV|PhilipsTV|SHIELD Android)/ },
  { name: 'wearable', pattern: /\b(?:watchOS|Watch OS|Apple ?Watch|Wear OS|SM-R\d{3}|OculusBrowser|Mobile VR)\b/ },
  { name: 'tablet', pattern: /\b(?:iPad|PlayBook|TouchPad|Kindle|Nook|Xoom|Transformer|Tab)\b|Tablet(?! PC)/i },
  // Tablets that claim to be Mobile, or neither: Samsung, Amazon, Lenovo, Huawei, Xiaomi, Google.
  {
    name: 'tablet',
    pattern: /\b(?:SM-[PTX]\d{3}|GT-P\d{4}|GT-N[58]\d{3}|KF[A-Z]{2,6}\b|Nexus (?:7|9|10)\b|Pixel C\b)/,
  },
  {
    name: 'tablet',
    pattern:
      /\b(?:TB-?[X\d]\d{3}|YT\d?-|MediaPad|(?:AGS|AGR|BAH|SHT|MRX|CMR|KOB|BTV)\d?-)|\b(?:Mi|Redmi|Xiaomi) Pad\b/i,
  },
  { name: 'mobile', pattern: /Mobi|\b(?:iPhone|iPod|Windows Phone|Windows CE|BlackBerry|BB10|KAIOS|Phone;)/ },
  { name: 'mobile', pattern: /\b(?:MIDP|CLDC|Series ?[46]0|S60|Symbian|SymbOS|UP\.Browser|UCWEB|Nokia|MeeGo|Palm)/ },
  { name: 'mobile', pattern: /^(?:JUC|Dalvik\/)|\bOpera Mini\b/ },
  { name: 'mobile', ...appsOnAndroid },
  // As Android recommends, the browser of a phone adds Mobile, that of a tablet does not.
  { name: 'tablet', pattern: /(?<!like )Android\b/i },
  { name: 'mobile', ...browsersOfApple },
  { name: 'mobile', ...desktopSite },
  { name: 'desktop', pattern: /\b(?:Windows|Win(?:NT|32|64|9[58])|Macintosh|Mac ?OS|Mac_PowerPC|X11|CrOS)/i },
  { name: 'desktop', pattern: /\b(?:Linux|FreeBSD|OpenBSD|NetBSD|SunOS)\b/i },
]

/** The names of the tables, each once, as statistics and rules of links use them. */
export const deviceNames: readonly Device[] = namesOf(devices)
export const systemNames: readonly string[] = namesOf(systems)

/** The name of the first row that matches. */
export function nameIn<Name extends string>(rows: readonly Row<Name>[], text: string): Name | null {
  for (const { name, pattern } of rows) if (pattern.test(text)) return name
  return null
}

function namesOf<Name extends string>(rows: readonly Row<Name>[]): Name[] {
  return [...new Set(rows.map(({ name }) => name))]
}
