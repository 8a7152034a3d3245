/** Problem with one field, for example `tools[2].inputSchema` `is required (an object)`. */
export interface DefinitionProblem {
  /** Empty for the definitions as a whole. */
  path: string
  message: string
}

/** A single problem, for functions that return lists. */
export function problem(path: string, message: string): DefinitionProblem[] {
  return [{ path, message }]
}

export function describeProblem({ path, message }: DefinitionProblem): string {
  return path ? `${path}: ${message}` : message
}
