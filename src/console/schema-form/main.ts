export type { JsonEditorProps, Suggest } from './fields/context.ts'
export { createForm, type Form } from './model/form.ts'
export type { Json } from './model/state.ts'
export { SchemaForm } from './schema-form.tsx'
