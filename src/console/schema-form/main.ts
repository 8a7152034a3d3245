export type { JsonEditorProps } from './fields/context.ts'
export { createForm, type Form } from './model/form.ts'
export { ResultView } from './results/result-view.tsx'
export { SchemaForm } from './schema-form.tsx'
