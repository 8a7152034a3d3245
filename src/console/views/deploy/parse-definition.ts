import { HostingError } from '../../../shared/errors.ts'

/**
 * The build request in the text of an `mcp.config.json`. Settings of editors and tests are omitted. Throws INVALID_REQUEST for
 * a definition that only the command line can deploy.
 */
export function parseDefinition(text: string): Record<string, unknown> {
  const { $schema: _schema, test: _test, project: _project, ...definition } = parseObject(text)
  if ('openapi' in definition || 'swagger' in definition)
    throw needsCommandLine('This is an OpenAPI description.', 'mcp init my-api --from-openapi openapi.json')
  if ('deploy' in definition)
    throw needsCommandLine(
      'The definition has settings for `mcp deploy`, which the page would ignore.',
      'mcp up',
    )
  return definition
}

function needsCommandLine(message: string, command: string): HostingError {
  return new HostingError('INVALID_REQUEST', message, {
    next: [{ description: 'Use a terminal', command }],
  })
}

function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new HostingError('INVALID_REQUEST', 'The definition is not a JSON object.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', 'The definition is not valid JSON.', {
      details: (error as Error).message,
    })
  }
}
