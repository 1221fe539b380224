import { encodeMatrix, type Matrix } from './matrix.ts'
import { readLook } from './options.ts'
import { renderSvg } from './svg.ts'

/** The symbol of a short link. It holds the short URL and nothing of the link, so that it never changes. */
export function codeMatrix(code: string, origin: string, marker: boolean): Matrix {
  return encodeMatrix(`${origin}/${code}${marker ? '?qr=1' : ''}`, 'M')
}

/** The image of a short link as its own address answers it when nothing else is asked for. */
export function codeSvg(code: string, origin: string, marker: boolean): string {
  return renderSvg(codeMatrix(code, origin, marker), readLook({}, 'svg'))
}
