import { followSections } from '../follow-sections.ts'
import { enhanceRows } from '../link-rows.ts'
import { loadDesigner } from '../load-designer.ts'
import { showLocalTimes } from '../local-times.ts'
import { followRuleEditor } from '../rule-editor.ts'

followSections()
showLocalTimes()
followRuleEditor()
loadDesigner()
for (const list of document.querySelectorAll<HTMLElement>('#destination .link-rows')) enhanceRows(list)
