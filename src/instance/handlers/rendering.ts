import type { Context } from 'liquidjs'
import type { Scope } from './scope.ts'

/** The rendering of one answer: all its templates together have the limits of one. */
export class Rendering {
  readonly scope: Scope
  /** Liquid's, made by the first template that needs it. */
  liquidContext: Context | undefined

  constructor(scope: Scope) {
    this.scope = scope
  }
}

/** A parsed template. Throws when rendering fails or meets a limit. */
export type TextTemplate = (rendering: Rendering) => string
/** Gives undefined for a string that is exactly one `{{ expression }}` without a value. */
export type JsonTemplate = (rendering: Rendering) => unknown
