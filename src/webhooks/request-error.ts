/** No response came; the message says why, for the owner. */
export class RequestError extends Error {}
