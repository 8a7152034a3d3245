/** Error of Node's permission model. */
interface DeniedError extends Error {
  code: 'ERR_ACCESS_DENIED'
  permission: string
  /** Path of the file or program. Empty for other permissions. */
  resource?: unknown
}

const ACTIONS: Readonly<Record<string, string>> = {
  FileSystemRead: 'read files',
  FileSystemWrite: 'write files',
  ChildProcess: 'start processes',
  WorkerThreads: 'start worker threads',
}

/**
 * Replaces Node's message for a denied access, which recommends flags that mcp does not have. Returns the message for clients,
 * which omits the path, or undefined for other errors.
 */
export function explainDenied(error: unknown): string | undefined {
  if (!isDenied(error)) return undefined
  const { message, stack, permission, resource } = error
  const withoutPath = `Handler modules may not ${ACTIONS[permission] ?? `use ${permission}`}`
  const target = typeof resource === 'string' && resource !== '' ? `: "${resource}"` : ''
  const explained = `${withoutPath}${target}`
  try {
    error.message = explained
    if (stack !== undefined) error.stack = stack.replace(message, () => explained)
  } catch {
    // The handler has frozen the error.
  }
  return withoutPath
}

function isDenied(error: unknown): error is DeniedError {
  if (!(error instanceof Error)) return false
  const { code, permission } = error as Partial<DeniedError>
  return code === 'ERR_ACCESS_DENIED' && typeof permission === 'string'
}
