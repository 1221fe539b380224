/** An invalid logo. The message follows "the logo". */
export class LogoError extends Error {}
