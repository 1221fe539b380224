import type {
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteShorthandOptionsWithHandler,
} from 'fastify'

/** A route without its method and its path: those stand in `app.ts`. */
export type Route = RouteShorthandOptionsWithHandler

/** Lets a handler name the types of its request; the path, which must have those parameters, is said elsewhere. */
export function route<R extends RouteGenericInterface>(
  definition: RouteShorthandOptionsWithHandler<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    R
  >,
): Route {
  return definition as unknown as Route
}
