/** The parts of an OpenAPI 3.1 document that the page of the API shows. */
export interface ApiDocument {
  info: { version: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** Those that each operation has are references. */
  parameters?: (Parameter | Reference)[]
  /** Present when the token is sent in a header. */
  security?: object[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response | Reference>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export interface Media {
  schema: Schema
  example?: unknown
}

export interface Response {
  description: string
  content?: Record<string, Media>
}

export interface Reference {
  $ref: string
}

/** A JSON Schema (2020-12), as far as the document uses it. */
export interface Schema {
  $ref?: string
  type?: string
  format?: string
  description?: string
  examples?: unknown[]
  default?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  'x-rule'?: string
}

/** The last part of a reference within the document. */
export function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

/** The parameters of an operation without those of every operation. */
export function ownParameters(parameters: Operation['parameters'] = []): Parameter[] {
  return parameters.filter((each): each is Parameter => !('$ref' in each))
}
