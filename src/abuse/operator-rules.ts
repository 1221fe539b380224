import type { Database } from '../db/database.ts'
import { deleteRule, insertAudit, listRules, readRulesRevision, upsertRule, type Rule } from './store.ts'

/** The operator's block and allow rules, cached in memory. Every change is recorded in the audit log. */
export interface OperatorRules {
  /** The rules by their expression. */
  all: () => ReadonlyMap<string, Rule>
  /** Increases with every change, also when a change restores an earlier state. */
  revision: () => number
  /** Adds a rule, or replaces the one for its expression. */
  put: (rule: Rule) => Promise<void>
  /** Deletes a rule. Returns false when there is none. */
  remove: (expression: string, action: 'unblock' | 'forget', reason: string) => Promise<boolean>
  /**
   * Loads the rules again: another process may have changed them, or a change was committed although the store reported a failure.
   * @returns whether they were changed
   */
  reload: () => Promise<boolean>
}

/** @param announce notifies other processes of a change */
export async function openOperatorRules(db: Database, now: () => number, announce = () => {}): Promise<OperatorRules> {
  let rules: ReadonlyMap<string, Rule> = new Map()
  let revision = 0
  const load = async () => {
    revision = await readRulesRevision(db.read)
    const before = JSON.stringify([...rules])
    rules = new Map((await listRules(db.read)).map((rule) => [rule.expression, rule]))
    // Their revisions tell less: other processes may commit them in another order.
    return JSON.stringify([...rules]) !== before
  }
  await load()
  return {
    all: () => rules,
    revision: () => revision,
    reload: load,
    async put(rule) {
      const source = rule.isLegal ? 'legal' : 'operator'
      const audit = { at: now(), action: rule.verdict, subject: rule.expression, source, reason: rule.reason }
      await db.urgent('operator', async (transaction) => {
        await upsertRule(transaction, rule)
        await insertAudit(transaction, audit)
      })
      announce()
      await load()
    },
    async remove(expression, action, reason) {
      const audit = { at: now(), action, subject: expression, source: 'operator', reason }
      const isDeleted = await db.urgent('operator', async (transaction) => {
        const deleted = await deleteRule(transaction, expression)
        if (deleted) await insertAudit(transaction, audit)
        return deleted
      })
      announce()
      await load()
      return isDeleted
    },
  }
}
