/** No certificate can be issued for the name now. */
export class IssuanceError extends Error {}

/** Nothing is ordered for a while, whichever the name. */
export class Postponed extends IssuanceError {
  readonly reason: string
  /** In milliseconds since 1970. */
  readonly until: number

  constructor(name: string, { reason, until }: { reason: string; until: number }, options?: ErrorOptions) {
    super(`no certificate for ${name}: ${reason}`, options)
    this.reason = reason
    this.until = until
  }
}
