import { type ComponentType, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Form } from '../model/form.ts'
import type { Json, State } from '../model/state.ts'

export interface FieldProps {
  schema: unknown
  state: State
  /** JSON pointer of the value. */
  pointer: string
  /** Name in the row and for screen readers. */
  label: string
  isRequired?: boolean
  /** `part`: an item or entry, whose row shows the label. `alternative`: the same value as the field around it. */
  place?: 'row' | 'part' | 'alternative'
  /** Number of alternatives around the field that have the same value. */
  nesting?: number
  onChange: (state: State) => void
}

/** Properties of the input for JSON text: a text area or a code editor. */
export interface JsonEditorProps {
  id: string
  text: string
  label: string
  isInvalid: boolean
  describedBy?: string
  onInput: (text: string) => void
}

export interface FieldContext {
  form: Form
  /** Renders nested fields. Part of the context because an import would create a cycle. */
  Field: ComponentType<FieldProps>
  JsonEditor: ComponentType<JsonEditorProps>
  suggest: Suggest | undefined
}

/** Values that the server suggests for a top-level string. */
export type Suggest = (name: string, text: string, value: Json) => Promise<readonly string[]>

export const FormContext = createContext<FieldContext | undefined>(undefined)

export function useForm(): FieldContext {
  const context = useContext(FormContext)
  if (!context) throw new Error('A field must be inside a SchemaForm')
  return context
}
