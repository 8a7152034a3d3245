import type { JsonSchema } from '../../shared/json-schema.ts'

/** How one attempt at a sample goes about the choices that a schema leaves. */
export interface Attempt {
  root: JsonSchema
  /** Values that members of the outermost object take when they are named alike. */
  args: Record<string, unknown>
  /** Take what `examples` and `default` say. */
  annotated: boolean
  /** Fill in members that are not required. */
  optional: boolean
  /** Which alternative of `anyOf`, `oneOf` and `if` is taken. */
  branch: number
}

/** Where in the sample a value stands. */
export interface Place {
  depth: number
  /** Tells the entries of an array apart, so that they can differ. */
  seed: number
}

export type Sampler = (schema: unknown, place: Place) => unknown

/** Beyond it a recursive schema gets no more than it requires. */
export const FULL_DEPTH = 4
