/** Browsers inside of apps that open no .vcf file, by what their `User-Agent` names. */
const apps: [mark: RegExp, app: string][] = [
  [/Instagram/, 'Instagram'],
  [/FBAN|FBAV|FB_IAB/, 'Facebook'],
  [/TikTok|musical_ly|BytedanceWebview|trill_/, 'TikTok'],
  [/LinkedInApp/, 'LinkedIn'],
]

/** The app in whose own browser a visitor sees the page; undefined in any other browser. */
export function appOf(userAgent: string): string | undefined {
  return apps.find(([mark]) => mark.test(userAgent))?.[1]
}
