import type {
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteShorthandOptionsWithHandler,
} from 'fastify'

/** A route without its method and path, which are in `app.ts`. */
export type Route = RouteShorthandOptionsWithHandler

/** Declares the types of a handler's request; the path in `app.ts` must have the declared parameters. */
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
