import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Origin } from './origin.ts'
import { problems } from './problem-schema.ts'
import { catalogue } from './problem.ts'

/** Collects the schemas of all routes that follow into an OpenAPI 3.1 document. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'quirl',
        version,
        summary: 'Short links and dynamic QR codes without an account.',
        description:
          'A creation answers a secret token. The token alone reads, changes and deletes that link. ' +
          'Every error is `application/problem+json` with a stable `code`.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [
        { name: 'Links', description: 'Create links, and manage them by their token.' },
        { name: 'Visits', description: 'What a short URL answers.' },
        { name: 'Statistics', description: 'What was counted of a link, by its token.' },
        { name: 'QR images', description: 'PNG and SVG images of links and of any data.' },
        { name: 'Abuse', description: 'Codes that harm people.' },
        { name: 'Domains', description: 'Short links on host names of your own.' },
        { name: 'Operation', description: 'For whoever runs the service.' },
      ],
      security: [],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'The token of a link, when it is not in the path.' },
        },
      },
    },
    stripBasePath: false,
  })
}

/** The OpenAPI document and the catalogue of errors, below /api. */
export function openApiRoutes(app: FastifyInstance, origin: Origin): void {
  const json = (description: string) => ({
    200: { description, content: { 'application/json': { schema: Type.Object({}, { additionalProperties: true }) } } },
    ...problems('method_not_allowed'),
  })
  app.get(
    '/openapi.json',
    {
      schema: { summary: 'This document', operationId: 'openApi', tags: ['Operation'], response: json('OpenAPI 3.1.') },
    },
    async (request) => ({ ...app.swagger(), servers: [{ url: origin.of(request) }] }),
  )

  app.get(
    '/problems',
    {
      schema: {
        summary: 'The catalogue of errors',
        operationId: 'problems',
        description: 'Every `code` that an error can have, with its status and title.',
        tags: ['Operation'],
        response: json('Statuses and titles by code.'),
      },
    },
    async () =>
      Object.fromEntries(Object.entries(catalogue).map(([code, [status, title]]) => [code, { status, title }])),
  )
}
