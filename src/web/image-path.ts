import type { Link } from '../links/link.ts'

/** The address of a link's image for its owner: browsers cache it for minutes, and request it again after a change. */
export function imagePath({ code, revision }: Pick<Link, 'code' | 'revision'>): string {
  return `/${code}/qr.svg?v=${revision}`
}
