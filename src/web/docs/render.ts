import { html, type Html } from '../../http/html.ts'
import { catalogue, Problem, problemBody, type ProblemCode } from '../../http/problem.ts'
import {
  nameOf,
  ownParameters,
  type ApiDocument,
  type Parameter,
  type Reference,
  type Response,
  type Schema,
} from './document.ts'
import { exampleOf, type Known } from './example.ts'
import { snippetsOf, type Endpoint } from './snippets.ts'

/** A block of code that scrolls, and can be reached by keyboard for that. */
export function code(text: string, label: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`
}

/** A sentence in which names are between backticks. */
export function prose(text = ''): Html {
  const parts = text.split('`')
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** One endpoint with its parameters, an example of its request, and its responses. */
export function endpointSection(endpoint: Endpoint, api: ApiDocument, known: Known): Html {
  const { method, path, operation } = endpoint
  const { shell, script } = snippetsOf(endpoint, api.components.schemas, known)
  return html`<section class="docs-endpoint" id="${operation.operationId}">
    <h3>${operation.summary}</h3>
    <p class="docs-path"><span class="docs-method">${method}</span> <code>${path}</code></p>
    ${operation.description && html`<p>${prose(operation.description)}</p>`}
    ${parameterTable(ownParameters(operation.parameters))} ${bodyNote(endpoint)}
    ${code(shell, `${operation.summary}: curl`)}
    <details>
      <summary>JavaScript</summary>
      ${code(script, `${operation.summary}: JavaScript`)}
    </details>
    <details>
      <summary>Responses: ${Object.keys(operation.responses).join(', ')}</summary>
      ${Object.entries(operation.responses).map(([status, response]) => responseOf(status, response, api, known))}
    </details>
  </section>`
}

function parameterTable(parameters: Parameter[]): Html | undefined {
  if (parameters.length === 0) return undefined
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Parameter</th>
        <th scope="col">Value</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${parameters.map(
        ({ name, in: place, required, description, schema }) =>
          html`<tr>
            <th scope="row"><code>${name}</code> <small>${place}${required && ', required'}</small></th>
            <td>${valueOf(schema)}</td>
            <td>${prose(description)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

function bodyNote({ operation }: Endpoint): Html | undefined {
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  if (bodies.length === 0) return undefined
  return html`<p>
    Body: ${bodies.map(([type, { schema }], at) => html`${at > 0 && ', or '}<code>${type}</code>, ${valueOf(schema)}`)}
  </p>`
}

/** A response with a complete example of each of its bodies, or an error, whose bodies are all alike. */
function responseOf(status: string, response: Response | Reference, api: ApiDocument, known: Known): Html {
  if ('$ref' in response) {
    return html`<h4>${status}</h4>
      <p>${prose(api.components.responses[nameOf(response)]?.description)}</p>`
  }
  const bodies = Object.entries(response.content ?? {})
  return html`<h4>${status}</h4>
    <p>${prose(response.description)}</p>
    ${bodies.map(([type, { schema, example }]) => {
      if (!type.endsWith('json')) return html`<p><code>${type}</code></p>`
      const value = example ?? exampleOf(schema, api.components.schemas, known)
      return html`<p>${valueOf(schema)}</p>
        ${code(JSON.stringify(value, undefined, 2), `Example of ${status}`)}`
    })}`
}

/** The body of an error. */
export function problemExample(code: ProblemCode): string {
  const [, title] = catalogue[code]
  const problem = new Problem(code, `${title.slice(0, 1).toLowerCase()}${title.slice(1)}`)
  return JSON.stringify(JSON.parse(problemBody(problem, '5c1f0a9be2d4-1z')), undefined, 2)
}

/** What a value may be, in a few words; a named schema is linked. */
export function valueOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf({ $ref: schema.$ref })
    return html`<a href="#schema-${name}">${name}</a>`
  }
  // What restricts a schema further has no name.
  const either = schema.anyOf ?? schema.allOf?.filter(({ $ref, anyOf }) => $ref !== undefined || anyOf !== undefined)
  if (either !== undefined) return html`${either.map((each, at) => html`${at > 0 && ' or '}${valueOf(each)}`)}`
  if (schema.type === 'array') return html`list of ${valueOf(schema.items ?? {})} ${boundsOf(schema)}`
  if (schema.enum !== undefined)
    return html`${schema.enum.map((each, at) => html`${at > 0 && ', '}<code>${String(each)}</code>`)}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  return html`${schema.format ?? schema.type ?? 'any value'} ${boundsOf(schema)}`
}

function boundsOf(schema: Schema): Html | undefined {
  const low = schema.minimum ?? schema.minLength ?? schema.minItems
  const high = schema.maximum ?? schema.maxLength ?? schema.maxItems
  const unit = schema.type === 'string' ? ' characters' : ''
  const bounds = [
    ...(high === undefined ? [] : [low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ]
  return bounds.length === 0 ? undefined : html`<small>(${bounds.join('; ')})</small>`
}

/** A named schema: its properties, or its alternatives. */
export function schemaSection(name: string, schema: Schema): Html {
  const properties = Object.entries(schema.properties ?? {})
  return html`<section class="docs-schema" id="schema-${name}">
    <h3>${name}</h3>
    ${schema.description && html`<p>${prose(schema.description)}</p>`}
    ${
      properties.length === 0
        ? html`<p>${valueOf(schema)}</p>`
        : html`<table>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Value</th>
                <th scope="col">Meaning</th>
              </tr>
            </thead>
            <tbody>
              ${properties.map(
                ([field, part]) =>
                  html`<tr>
                    <th scope="row">
                      <code>${field}</code> ${schema.required?.includes(field) && html`<small>required</small>`}
                    </th>
                    <td>${valueOf(part)}</td>
                    <td>${prose(part.description)} ${part['x-rule'] && html`<small>It ${part['x-rule']}.</small>`}</td>
                  </tr>`,
              )}
            </tbody>
          </table>`
    }
  </section>`
}
