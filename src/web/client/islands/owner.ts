import { followSections } from '../follow-sections.ts'

followSections()
