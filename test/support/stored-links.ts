import assert from 'node:assert/strict'
import type { Database } from '../../src/db/database.ts'
import type { Link } from '../../src/links/link.ts'
import type { PasswordHash } from '../../src/links/password/password.ts'
import { insertLink, type NewLink } from '../../src/links/create-store.ts'
import * as store from '../../src/links/store.ts'

export const content: Omit<Link, 'id'> = {
  code: 'Summer',
  kind: 'url',
  target: 'https://example.com/ü?a=1#b',
  payload: { nested: ['x', { y: 'ü' }] },
  title: 'Tïtle',
  campaign: null,
  utm: { utm_source: 'b', utm_medium: 'a' },
  rules: [{ when: { country: ['DE'] }, then: { target: 'https://example.com/ü?de' } }],
  placements: [{ id: 'Door', name: 'Tür' }],
  password: '$scrypt$…' as PasswordHash,
  active: true,
  revision: 1,
  createdAt: 1_795_225_879_440,
  updatedAt: 1_795_225_879_440,
  suspension: null,
  warning: null,
  reported: null,
  rekeyedAt: null,
}

export let lastId = 2 ** 33

export async function insert(
  db: Database,
  code: string,
  { token = `token of ${code}`, ...more }: { token?: string } & Partial<NewLink> = {},
): Promise<Link> {
  const link = { ...newLink(code, { token }), ...more }
  assert.equal(await insertLink(db, link), true)
  return read(db, link.code)
}

export async function read(db: Database, code: string): Promise<Link> {
  return found(await store.findByCode(db.read, code.toLowerCase()))
}

export function newLink(code: string, { token = `token ${++lastId}`, id = ++lastId } = {}): NewLink {
  return { ...content, id, code, codeKey: code.toLowerCase(), tokenHash: token }
}

export const remove = (db: Database, link: Link) =>
  db.transaction((transaction) => store.deleteLinkRow(transaction, link))

export function found(link: Link | 'gone' | undefined): Link {
  assert.ok(typeof link === 'object')
  return link
}
