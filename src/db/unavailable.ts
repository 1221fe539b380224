/** The outcome of a change is unknown, or the store cannot be reached, or is being reopened. */
export class StoreUnavailable extends Error {}

/** Changes are refused while the store is moved to another place. Reads go on. */
export class ChangesHeld extends StoreUnavailable {}
