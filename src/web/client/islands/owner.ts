import { followSections } from '../follow-sections.ts'
import { enhanceRows } from '../link-rows.ts'
import { showLocalTimes } from '../local-times.ts'
import { loadDesigner } from '../load-designer.ts'
import { followRuleEditor } from '../rule-editor.ts'

followSections()
showLocalTimes(document)
followRuleEditor()
loadDesigner()
for (const list of document.querySelectorAll<HTMLElement>('#destination .link-rows')) enhanceRows(list)
