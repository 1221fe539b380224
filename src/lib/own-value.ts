/** What a table has under a name from outside. `table[name]` would find `constructor`, too, in `Object.prototype`. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
