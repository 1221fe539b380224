// What a page says, and in which language each part of it is said to be.

/** A text of a page, with the language of its element: '' where that is unknown. */
export interface Said {
  text: string
  lang: string
}

/** Elements without an end tag. */
const empty = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** Attributes that people see or hear. Those with `data-` are texts of islands, too. */
const spoken = new Set(['aria-label', 'alt', 'placeholder', 'title'])
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', '#34': '"', '#39': "'" }

/** Reads the markup of the service: whatever is not markup is escaped in it, also in attributes. */
export function saidBy(markup: string): Said[] {
  const open: { name: string; lang: string }[] = []
  const said: Said[] = []
  const say = (text: string, lang: string) => {
    const bare = text.replaceAll(/\s+/g, ' ').trim()
    if (bare !== '') said.push({ text: bare, lang })
  }
  for (const piece of markup.split('<').slice(1)) {
    const end = piece.indexOf('>')
    const tag = piece.slice(0, end)
    const name = tag.split(/[\s/]/, 1)[0] ?? ''
    const attributes = attributesOf(tag)
    const lang = attributes.get('lang') ?? open.at(-1)?.lang ?? ''
    if (tag.startsWith('/')) {
      const [ended, started] = [tag.slice(1).trim(), open.pop()?.name]
      if (ended !== started) throw new Error(`</${ended}> ends <${started}>`)
    } else if (!tag.startsWith('!')) {
      for (const text of attributeTexts(name, attributes)) say(text, lang)
      if (!tag.endsWith('/') && !empty.has(name)) open.push({ name, lang })
    }
    say(decode(piece.slice(end + 1)), open.at(-1)?.lang ?? '')
  }
  return said
}

/** The attributes of an element, as it starts. */
export function attributesOf(tag: string): Map<string, string> {
  const found = tag.matchAll(/\s([\w-]+)="([^"]*)"/g)
  return new Map(Array.from(found, ([, name = '', value = '']) => [name, decode(value)]))
}

function attributeTexts(element: string, attributes: Map<string, string>): string[] {
  const described =
    element === 'meta' && /description|title/.test(attributes.get('name') ?? attributes.get('property') ?? '')
  return Array.from(attributes).flatMap(([name, value]) => {
    if (spoken.has(name) || (described && name === 'content')) return [value]
    return name.startsWith('data-') ? leavesOf(value) : []
  })
}

/** The texts of an attribute for an island: of JSON, or the attribute itself. */
function leavesOf(value: string): string[] {
  if (!/^[{[]/.test(value)) return [value]
  const leaves = (part: unknown): string[] => {
    if (typeof part === 'string') return [part]
    return typeof part === 'object' && part !== null ? Object.values(part).flatMap(leaves) : []
  }
  return leaves(JSON.parse(value))
}

function decode(text: string): string {
  return text.replaceAll(/&(#?\w+);/g, (entity, name: string) => entities[name] ?? entity)
}
