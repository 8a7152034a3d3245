import './schema-form.css'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type FieldContext, FormContext, type JsonEditorProps, type Suggest } from './fields/context.ts'
import { Field } from './fields/field.tsx'
import { Messages } from './fields/messages.tsx'
import { JsonTextArea, RawField } from './fields/raw-field.tsx'
import type { Form } from './model/form.ts'
import { notesInside } from './model/hints.ts'
import type { Json } from './model/state.ts'
import { LongText } from './text/text.tsx'

interface SchemaFormProps {
  form: Form
  /** Name of the form for screen readers, for example the name of the tool. */
  label: string
  onSubmit: (value: Json) => void
  /** Replaces the text area for JSON, for example with a code editor that loads when it is shown. */
  JsonEditor?: ComponentType<JsonEditorProps>
  /** Suggests values for the text fields of the form. Never rejects. */
  suggest?: Suggest
  /** Buttons: one of type `submit`, others as the page needs. */
  children: ComponentChildren
}

/** Controls with an error. A code editor marks its container with `data-invalid`. */
const INVALID = '[aria-invalid="true"], [data-invalid]'

/** A form for a JSON Schema. `Alt+J` switches between fields and raw JSON, `Ctrl+Enter` submits from anywhere. */
export function SchemaForm({
  form,
  label,
  onSubmit,
  JsonEditor = JsonTextArea,
  suggest,
  children,
}: SchemaFormProps) {
  const element = useRef<HTMLFormElement>(null)
  const context = useMemo<FieldContext>(
    () => ({ form, Field, JsonEditor, suggest }),
    [form, JsonEditor, suggest],
  )
  useFocusOnErrors(form, element)
  const submit = (event: Event) => {
    event.preventDefault()
    const submitted = form.submit()
    if (submitted) onSubmit(submitted.value)
    else queueMicrotask(() => focusInvalid(element.current))
  }
  return (
    <FormContext.Provider value={context}>
      <form
        ref={element}
        class="schema-form"
        aria-label={label}
        noValidate
        onSubmit={submit}
        onKeyDown={event => handleKey(event, form)}
      >
        <GeneralError form={form} />
        {form.isRaw.value ? <RawForm form={form} label={label} /> : <RootField form={form} label={label} />}
        <div class="sf-actions">
          {children}
          <button
            type="button"
            class="sf-button"
            aria-pressed={form.isRaw.value}
            aria-keyshortcuts="Alt+J"
            title="Switch between fields and raw JSON (Alt+J)"
            onClick={() => toggleRaw(form)}
          >
            JSON
          </button>
        </div>
      </form>
    </FormContext.Provider>
  )
}

function toggleRaw(form: Form): void {
  form.isRaw.value = !form.isRaw.value
}

function handleKey(event: KeyboardEvent, form: Form): void {
  // Compares the code, because Alt changes the character on some keyboards.
  const isToggle = event.altKey && !event.ctrlKey && !event.metaKey && event.code === 'KeyJ'
  const isSubmit = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
  if (!isToggle && !isSubmit) return
  event.preventDefault()
  if (isToggle) toggleRaw(form)
  else (event.currentTarget as HTMLFormElement).requestSubmit()
}

function GeneralError({ form }: { form: Form }) {
  const { general } = form.serverErrors.value
  return (
    <div role="alert">
      {general && (
        <p class="sf-error">
          <LongText value={general} max={2000} />
        </p>
      )}
    </div>
  )
}

function RootField({ form, label }: { form: Form; label: string }) {
  const { state, document } = form
  return (
    <Field
      schema={document.root}
      state={state.value}
      pointer=""
      label={label}
      isRequired
      onChange={value => (state.value = value)}
    />
  )
}

function RawForm({ form, label }: { form: Form; label: string }) {
  const hints = notesInside(form.hints.value, '')
  const errors = [...form.serverErrors.value.placed.values()].flat()
  return (
    <div class="sf-content">
      <RawField
        id="sf-raw"
        label={`JSON of ${label}`}
        isRequired
        isInvalid={hints.length + errors.length > 0}
        describedBy={hints.length + errors.length > 0 ? 'sf-raw-notes' : undefined}
        state={form.state.value}
        onChange={value => (form.state.value = value)}
      />
      <Messages id="sf-raw-notes" hints={hints.slice(0, 20)} errors={errors} />
    </div>
  )
}

/** Moves to the first field that the server named. */
function useFocusOnErrors(form: Form, element: { current: HTMLElement | null }): void {
  const { placed } = form.serverErrors.value
  useEffect(() => {
    if (placed.size > 0 && !element.current?.contains(document.activeElement?.closest(INVALID) ?? null)) {
      focusInvalid(element.current)
    }
  }, [placed])
}

function focusInvalid(element: HTMLElement | null): void {
  element?.querySelector<HTMLElement>(INVALID)?.focus()
}
