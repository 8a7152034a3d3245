/** Problem with one field, for example `tools[2].inputSchema` `is required: an object`. */
export interface DefinitionProblem {
  /** Empty for the definitions as a whole. */
  path: string
  message: string
}

export function describeProblem({ path, message }: DefinitionProblem): string {
  return path ? `${path}: ${message}` : message
}
