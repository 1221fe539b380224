/** An expected reason not to do what the command line asks. The message is the one line that the operator reads: what, where, what to do. */
export class StartError extends Error {}
