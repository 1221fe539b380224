import type { Images } from './images.ts'
import { readLook } from './options.ts'

/** What the image of a short link says: the short URL and nothing of the link, so that it never changes. */
export function codeText(code: string, origin: string, marker: boolean): string {
  return `${origin}/${code}${marker ? '?qr=1' : ''}`
}

/** The image of a short link as its own address answers it when nothing else is asked for. */
export function codeSvg(images: Images, text: string): string {
  return images.plain(text, readLook({}, 'svg'), { level: 'M' }).body.toString()
}
