export interface SurfaceChange {
  /** `breaking`: clients of the previous version may fail. */
  kind: 'breaking' | 'compatible'
  /** `tools.add.inputSchema.b`, `resources.docs://guide`, `prompts.greet.arguments.who` */
  path: string
  /** Predicate of a sentence: `is removed`. */
  message: string
}

export function isBreaking({ kind }: SurfaceChange): boolean {
  return kind === 'breaking'
}

export function breaking(path: string, message: string): SurfaceChange {
  return { kind: 'breaking', path, message }
}

export function compatible(path: string, message: string): SurfaceChange {
  return { kind: 'compatible', path, message }
}
