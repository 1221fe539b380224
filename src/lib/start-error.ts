/** An expected reason not to start. The message is the one line that the operator reads: what, where, what to do. */
export class StartError extends Error {}
