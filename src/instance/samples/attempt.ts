import type { JsonSchema } from '../../shared/json/json-schema.ts'

export interface Attempt {
  root: JsonSchema
  /** Arguments of the call. Members of the outermost object get the values of arguments with the same names. */
  args: Record<string, unknown>
  /** True to use `examples` and `default`. */
  annotated: boolean
  /** True to include optional members. */
  optional: boolean
  /** Index of the alternative to use from `anyOf`, `oneOf` and `if`. */
  branch: number
}

/** Position of a value in the sample. */
export interface Place {
  depth: number
  /** Makes the entries of an array differ. */
  seed: number
}

export type Sampler = (schema: unknown, place: Place) => unknown

/** From this depth on, only required members are filled in, so that samples of recursive schemas end. */
export const FULL_DEPTH = 4
