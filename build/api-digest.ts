import { hash } from 'node:crypto'

/** The digest of an OpenAPI document without the version and the address of the service that returned it. */
export function digestOf(document: string): string {
  const { info: _, servers: __, ...rest } = JSON.parse(document) as Record<string, unknown>
  return hash('sha256', JSON.stringify(rest)).slice(0, 16)
}
