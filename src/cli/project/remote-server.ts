import { HostingError, type NextStep } from '../../shared/errors.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'

const PROBE_TIMEOUT_MS = 5000

export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/** Next steps for the URL of an MCP server, which needs no project. */
export function remoteServerSteps(url: string): NextStep[] {
  const word = quoteShellWord(url)
  return [
    { description: 'Use an MCP server without a project', command: `mcp tools ${word}` },
    { description: 'Add it to a client', command: `mcp connect ${word} --client claude-code` },
  ]
}

/** Error for a URL where the folder of a project is expected. */
export function urlGiven(url: string): HostingError {
  return new HostingError('INVALID_REQUEST', `${url} is a URL, expected a folder.`, {
    next: [
      {
        description: 'Create a project from an OpenAPI description',
        command: `mcp init api --from-openapi ${quoteShellWord(url)}`,
      },
      ...remoteServerSteps(url),
    ],
  })
}

/** Replaces the error from reading an OpenAPI description if an MCP server responds at that URL. */
export async function explainRemoteServer(url: string, error: HostingError): Promise<HostingError> {
  const { connectToServer } = await import('../../shared/mcp-client/connect.ts')
  try {
    const connection = await connectToServer(url, { timeoutMs: PROBE_TIMEOUT_MS })
    await connection.close()
  } catch (refusal) {
    if ((refusal as HostingError).code !== 'UNAUTHORIZED') return error
    return new HostingError(error.code, error.message, { cause: error, next: remoteServerSteps(url) })
  }
  const message = `${url} is an MCP server, not an OpenAPI description. It needs no project.`
  return new HostingError('INVALID_REQUEST', message, { cause: error, next: remoteServerSteps(url) })
}
