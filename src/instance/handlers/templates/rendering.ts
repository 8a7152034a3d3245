import type { Context } from 'liquidjs'
import type { Scope } from './scope.ts'

/** The rendering of one answer. Its templates share one set of limits. */
export class Rendering {
  readonly scope: Scope
  /** Created by the first template that needs Liquid. */
  liquidContext: Context | undefined

  constructor(scope: Scope) {
    this.scope = scope
  }
}

/** A parsed template. Throws when rendering fails or exceeds a limit. */
export type TextTemplate = (rendering: Rendering) => string
/** Returns undefined for a string that is exactly one `{{ expression }}` without a value. */
export type JsonTemplate = (rendering: Rendering) => unknown
