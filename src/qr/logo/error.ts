/** What is wrong with a logo, in words that follow "the logo". */
export class LogoError extends Error {}
