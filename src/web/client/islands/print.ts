import { startPrintPreview } from '../print-preview.ts'

// Shows the page that is printed while its fields change, and prints it.

const layout = document.querySelector<HTMLElement>('.print-layout')
const form = layout?.querySelector('form')
if (layout && form) startPrintPreview(layout, form)
