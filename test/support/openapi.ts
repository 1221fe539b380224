/** An OpenAPI document whose references to named schemas are replaced by the schemas. */
export function parseDocument(text: string): unknown {
  const document = JSON.parse(text) as { components: { schemas: Record<string, object> } }
  const resolve = (_key: string, value: { $ref?: string } | null) => {
    const name = value?.$ref?.replace('#/components/schemas/', '')
    return name === undefined ? value : JSON.parse(JSON.stringify(document.components.schemas[name]), resolve)
  }
  return JSON.parse(text, resolve)
}
