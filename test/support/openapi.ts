/** Parses an OpenAPI document and resolves its references. */
export function parseDocument(text: string): unknown {
  const document = JSON.parse(text) as { components: Record<string, Record<string, object>> }
  const resolve = (_key: string, value: { $ref?: string } | null) => {
    const [, , kind, name] = value?.$ref?.split('/') ?? []
    if (kind === undefined || name === undefined) return value
    return JSON.parse(JSON.stringify(document.components[kind]?.[name]), resolve)
  }
  return JSON.parse(text, resolve)
}
