/** The outcome of a change is unknown, or the store cannot be reached, or is being reopened. */
export class StoreUnavailable extends Error {}
