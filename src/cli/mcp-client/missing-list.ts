/** JSON-RPC code of a method that the server does not have. */
export const METHOD_NOT_FOUND = -32_601

/** Handler for the error of a list. Returns undefined when the server has no such list, and throws other errors again. */
export function ignoreMissingList(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== METHOD_NOT_FOUND) throw error
}
