import type { Expression, ImportDeclaration, Node, Program } from 'acorn'

/** Reads and parses a module, by its path. */
export type ParseModule = (path: string) => Program

/** Evaluates constant expressions. */
export interface Constants {
  /** The string value of an expression; undefined if it is not constant. */
  textOf: (expression: Node) => string | undefined
}

/** The value of a name, and the constants of the module that declares it. */
interface Found {
  value: Node
  constants: Constants
}

/** A module whose expressions are evaluated. */
interface Scope {
  constants: Constants
  /** Finds the value of a constant of the module, or of one that it imports. */
  find: (name: string) => Found | undefined
}

/** @param path of the module that contains the expressions; its imports are relative to it */
export function constantsOf(program: Program, path: string, parse: ParseModule): Constants {
  function find(name: string): Found | undefined {
    for (const statement of program.body) {
      const value = declaredIn(statement, name)
      if (value !== undefined) return { value, constants }
      if (statement.type !== 'ImportDeclaration') continue
      const other = new URL(String(statement.source.value), `file://${path}`).pathname
      const imported = importedIn(statement, name)
      if (imported !== undefined) return { value: imported, constants: constantsOf(parse(other), other, parse) }
    }
    return undefined
  }

  const constants: Constants = { textOf: (expression) => textOf(scope, expression) }
  const scope: Scope = { constants, find }
  return constants
}

function textOf(scope: Scope, expression: Node | undefined): string | undefined {
  if (expression === undefined) return ''
  const node = expression as Expression
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : undefined
    case 'TemplateLiteral': {
      const parts = node.quasis.flatMap(({ value }, at) => [
        value.cooked ?? undefined,
        textOf(scope, node.expressions[at]),
      ])
      return joined(parts)
    }
    case 'BinaryExpression':
      return node.operator === '+' ? joined([textOf(scope, node.left), textOf(scope, node.right)]) : undefined
    case 'MemberExpression':
      return memberOf(scope, node.object, nameOf(node.property) ?? '')
    case 'Identifier': {
      const found = scope.find(node.name)
      return found?.constants.textOf(found.value)
    }
    default:
      return undefined
  }
}

/** The string value of a property of an object literal. */
function memberOf(scope: Scope, object: Node, name: string): string | undefined {
  if (object.type === 'Identifier') {
    const found = scope.find((object as { name: string } & Node).name)
    return found && (found.constants === scope.constants ? memberOf(scope, found.value, name) : undefined)
  }
  const node = object as Expression
  if (node.type === 'Literal' && node.regex && name === 'source') return node.regex.pattern
  if (node.type !== 'ObjectExpression') return undefined
  for (const property of node.properties) {
    if (property.type === 'Property' && nameOf(property.key) === name) return textOf(scope, property.value)
  }
  return undefined
}

/** The value that a statement declares for a constant. */
function declaredIn(statement: Program['body'][number], name: string): Node | undefined {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declared?.type !== 'VariableDeclaration' || declared.kind !== 'const') return undefined
  return declared.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name)?.init ?? undefined
}

/** The name that an imported constant has in the module of the program that exports it. */
function importedIn({ specifiers, source }: ImportDeclaration, name: string): Node | undefined {
  const specifier = specifiers.find(({ local }) => local.name === name)
  const isRelative = String(source.value).startsWith('.')
  return isRelative && specifier?.type === 'ImportSpecifier' ? specifier.imported : undefined
}

function joined(parts: (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** The name of a property; undefined if it is computed. */
export function nameOf(key: Node): string | undefined {
  const node = key as Expression
  if (node.type === 'Identifier') return node.name
  return node.type === 'Literal' ? String(node.value) : undefined
}
