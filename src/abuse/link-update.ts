import { Problem } from '../http/problem.ts'
import type { Link } from '../links/link.ts'
import { linkOfCode } from '../links/look-up.ts'

type LinkDeps = Parameters<typeof linkOfCode>[0]

/** Reads a link and updates it. Retries when the link was changed in between, for which `update` returns false. */
export async function updateLink(
  deps: LinkDeps,
  code: string,
  update: (link: Link) => Promise<boolean>,
): Promise<Link> {
  for (;;) {
    const link = await requireLink(deps, code)
    if (await update(link)) return link
  }
}

/** @throws {Problem} 404 for an unknown code, 410 for a deleted link */
export async function requireLink(deps: LinkDeps, code: string): Promise<Link> {
  const link = await linkOfCode(deps, code)
  if (link === undefined) throw new Problem('unknown_code', `no link has the code ${code}`)
  if (link === 'gone') throw new Problem('code_gone', `the link ${code} was deleted by its owner`)
  return link
}
