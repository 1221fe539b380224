import { followSections } from '../follow-sections.ts'
import { followRuleEditor } from '../rule-editor.ts'

followSections()
followRuleEditor()
