import type { FastifyServerOptions } from 'fastify'

type Factory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/**
 * To be given to Fastify, which loads libraries of 150 modules otherwise: `createApp` sets both compilers itself, and what
 * only describes routes needs none. The types know only those libraries' own.
 */
export const noCompilers = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => JSON.stringify,
} as unknown as Factory
