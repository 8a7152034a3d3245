import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { hintsOf, type Notes } from './hints.ts'
import { initialState } from './initial.ts'
import { SchemaDocument } from './schema-document.ts'
import { placeErrors, type ServerErrors } from './server-errors.ts'
import { hasDraft, type Json, type State, toJson } from './state.ts'

/** A form for one JSON Schema. The page creates it and reads its value. */
export interface Form {
  document: SchemaDocument
  state: Signal<State>
  /** The whole value as JSON text instead of fields. */
  isRaw: Signal<boolean>
  /** Problems that the browser finds. They never prevent a request. */
  hints: ReadonlySignal<Notes>
  serverErrors: Signal<ServerErrors>
  /** Returns the value, or undefined while some text is not a valid value. Reports missing members until the next `load`. */
  submit(): { value: Json } | undefined
  /** Replaces the value, for example with the arguments of an earlier call. Undefined restores the defaults. */
  load(value: Json | undefined): void
  /** Shows an error from the server next to the fields that it names, or above the form. */
  reportErrors(message: string): void
  /** Removes the server's errors about a field that the user changes. */
  forgetError(pointer: string): void
}

const NO_ERRORS: ServerErrors = { placed: new Map() }

export function createForm(schema: unknown, value?: Json): Form {
  const document = new SchemaDocument(schema)
  const start = (json: Json | undefined) => (json === undefined ? initialState(schema, document) : json)
  const state = signal<State>(start(value))
  const showsMissing = signal(false)
  const serverErrors = signal(NO_ERRORS)
  return {
    document,
    state,
    isRaw: signal(false),
    hints: computed(() => hintsOf(state.value, document, showsMissing.value)),
    serverErrors,
    submit() {
      showsMissing.value = true
      serverErrors.value = NO_ERRORS
      return hasDraft(state.value) ? undefined : { value: toJson(state.value) ?? {} }
    },
    load(json) {
      state.value = start(json)
      showsMissing.value = false
      serverErrors.value = NO_ERRORS
    },
    reportErrors(message) {
      serverErrors.value = placeErrors(message, state.value, document)
    },
    forgetError(pointer) {
      const { placed, general } = serverErrors.value
      if (!placed.has(pointer)) return
      serverErrors.value = { placed: new Map([...placed].filter(([key]) => key !== pointer)), general }
    },
  }
}
