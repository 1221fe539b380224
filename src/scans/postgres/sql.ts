/** Collects the values of a statement's parameters while its text is written. */
export function createParameters() {
  const values: unknown[] = []
  return {
    values,
    /** The placeholder of a value. */
    bind: (value: unknown): string => `$${values.push(value)}`,
  }
}

export type Bind = ReturnType<typeof createParameters>['bind']
