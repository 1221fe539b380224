import { stripTypeScriptTypes } from 'node:module'
import { parse, type AnyNode, type CallExpression, type NewExpression, type Node, type Program } from 'acorn'
import { constantsOf, nameOf, type Constants } from './constants.ts'

/** A regular expression in a module. */
export interface Pattern {
  line: number
  /** The pattern, or the expression's code if it is not constant. */
  source: string
  flags: string
  isConstant: boolean
}

/** Finds every regular expression of a module: literals, arguments of `RegExp`, and `pattern` of a schema. */
export function patternsIn(code: string, path: string, read: (path: string) => string): Pattern[] {
  const parseModule = (other: string) => parseTypeScript(read(other))
  const program = parseTypeScript(code)
  const constants = constantsOf(program, path, parseModule)
  const patterns: Pattern[] = []
  walk(program, (node) => {
    for (const [expression, flags] of expressionsOf(node, constants)) {
      const line = node.loc?.start.line ?? 0
      const literal = regexOf(expression)
      const source = literal?.pattern ?? constants.textOf(expression)
      const written = code.slice(expression.start, expression.end)
      patterns.push({
        line,
        source: source ?? written,
        flags: literal?.flags ?? flags,
        isConstant: source !== undefined,
      })
    }
  })
  return patterns
}

/** Types become blanks, so that positions stay the same. */
function parseTypeScript(code: string): Program {
  return parse(stripTypeScriptTypes(code), { ecmaVersion: 'latest', sourceType: 'module', locations: true })
}

function regexOf(node: Node): { pattern: string; flags: string } | undefined {
  const literal = node as AnyNode
  return literal.type === 'Literal' ? (literal.regex ?? undefined) : undefined
}

const matching = new Set(['match', 'matchAll', 'search'])

/** The expressions of a node that become regular expressions, and their flags. */
function expressionsOf(any: Node, constants: Constants): [Node, flags: string][] {
  const node = any as AnyNode
  if (regexOf(node)) return [[node, '']]
  if (node.type === 'NewExpression' || node.type === 'CallExpression') return argumentsOf(node, constants)
  if (node.type !== 'Property' || nameOf(node.key) !== 'pattern') return []
  // Patterns of schemas are compiled with this flag. A destructuring pattern has a name here, and no value.
  return node.shorthand || regexOf(node.value) ? [] : [[node.value, 'u']]
}

/** The arguments of `RegExp`, and strings that methods of strings compile. */
function argumentsOf(call: NewExpression | CallExpression, constants: Constants): [Node, flags: string][] {
  const { callee } = call
  const [first, second] = call.arguments
  if (first === undefined) return []
  if (callee.type === 'Identifier' && callee.name === 'RegExp') {
    return [[first, second === undefined ? '' : (constants.textOf(second) ?? '')]]
  }
  const isMatching = callee.type === 'MemberExpression' && matching.has(nameOf(callee.property) ?? '')
  return isMatching && constants.textOf(first) !== undefined ? [[first, '']] : []
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value as unknown]) {
      if (typeof child === 'object' && child !== null && 'type' in child) walk(child as Node, visit)
    }
  }
}
