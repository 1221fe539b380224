import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import type { CreationGate } from '../../keys/open.ts'
import type { Language } from '../../texts/language.ts'
import { docsTexts } from '../../texts/docs.ts'
import type { ApiDocument } from './document.ts'
import type { Known } from './example.ts'
import { code, endpointSection, problemExample, prose, schemaSection } from './render.ts'
import { preparation, type Endpoint } from './snippets.ts'

type Mode = CreationGate['mode']

/** The page of the API. Its guide is in English, as the document is. */
export function docsPage(guide: Html, language: Language, creation: Mode): Page {
  const texts = docsTexts[language]
  return {
    title: texts.title,
    description: texts.description,
    site: { language, section: 'api' },
    styles: ['docs'],
    body: html`<main>
      <h1>${texts.title}</h1>
      <p>${texts.lead} ${texts.creation[creation]}</p>
      <p class="row">
        <a class="button plain" href="/api/openapi.json">${texts.document}</a>
        <a class="button plain" href="/api/problems">${texts.problems}</a>
      </p>
      ${guide}
    </main>`,
  }
}

interface Group {
  name: string
  description?: string
  endpoints: Endpoint[]
}

/** Every endpoint and every named schema of the document. */
export function apiGuide(api: ApiDocument, origin: string, creation: Mode): Html {
  const known: Known = { origin, code: 'k7dw3nq', token: 'Qm9kZWdhLXNlY3JldC10b2tlbi1vZi1hLWxpbmstMTI' }
  const endpoints = endpointsOf(api)
  const groups = api.tags
    .map((tag) => ({ ...tag, endpoints: endpoints.filter(({ operation }) => operation.tags[0] === tag.name) }))
    .filter((group) => group.endpoints.length > 0)
  return html`<div class="docs" lang="en">
    ${contents(groups)}
    <div class="docs-guide">
      ${start(origin, creation)}
      ${groups.map(
        (group) =>
          html`<section>
            <h2>${group.name}</h2>
            <p>${prose(group.description)}</p>
            ${group.endpoints.map((endpoint) => endpointSection(endpoint, api, known))}
          </section>`,
      )}
      <section id="schemas">
        <h2>Schemas</h2>
        ${Object.entries(api.components.schemas).map(([name, schema]) => schemaSection(name, schema))}
      </section>
    </div>
  </div>`
}

function contents(groups: Group[]): Html {
  return html`<nav class="docs-contents" aria-label="API">
    ${groups.map(
      ({ name, endpoints }) =>
        html`<p>${name}</p>
          <ul>
            ${endpoints.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}
          </ul>`,
    )}
    <p><a href="#schemas">Schemas</a></p>
  </nav>`
}

/** What a program needs to create, where not everyone may. */
const creationNotes: Record<Mode, Html | undefined> = {
  open: undefined,
  token: html`<p>
    Here, what creates links or domains needs the access code of this service, which its operator gives out: add
    <code>-H 'Authorization: Bearer &lt;access code&gt;'</code> to those requests.
  </p>`,
  closed: html`<p>
    Nothing can be created on this service: what creates links or domains gets a 403 (<code>creation_closed</code>).
    Links that exist can be changed, and read, with their tokens.
  </p>`,
}

function start(origin: string, creation: Mode): Html {
  const { shell, script } = preparation(origin)
  return html`<section id="start">
    <h2>Before you start</h2>
    ${creationNotes[creation]}
    <p>
      Everything below works as pasted, the first time: then the code <code>menu</code> is taken. It needs a link; this
      creates one, and keeps its token and its code:
    </p>
    ${code(shell, 'Create a link: curl')}
    <details>
      <summary>JavaScript</summary>
      ${code(script, 'Create a link: JavaScript')}
    </details>
    <p>
      A token in a path can be sent in a header instead: ${prose('`/api/manage` with `Authorization: Bearer <token>`')}.
      Keep it secret: whoever has it can change and delete the link. Every error is
      <code>application/problem+json</code> (RFC 9457) with a stable <code>code</code>; a 429 and a 503 have
      <code>Retry-After</code>.
    </p>
    ${code(problemExample('rate_limited'), 'Example of an error')}
  </section>`
}

/** Every operation of the document, except those that only take their token in a header. */
export function endpointsOf(api: ApiDocument): Endpoint[] {
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  return all.filter(({ operation }) => !/(?:ByHeader|InCollection)$/.test(operation.operationId))
}
