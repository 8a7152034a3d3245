import { HostingError } from '../../../shared/errors.ts'

interface Parsed {
  /** Body of the request that builds the server. */
  definition: Record<string, unknown>
  /** Configuration of the server for development. */
  config: Record<string, unknown>
}

/**
 * The server in the text of an `mcp.config.json`. Settings of editors and tests are omitted. Throws INVALID_REQUEST for a
 * definition that only the command line can deploy.
 */
export function parseDefinition(text: string): Parsed {
  const { $schema: _schema, test: _test, project: _project, deploy, ...definition } = parseObject(text)
  return { definition, config: configOf((deploy ?? {}) as Record<string, unknown>) }
}

/** Settings for one environment override the settings for all environments. */
function configOf(deploy: Record<string, unknown>): Record<string, unknown> {
  const { production: _production, staging: _staging, development, requireTest, ...shared } = deploy
  if (requireTest !== undefined)
    throw needsCommandLine('The definition requires a test before it is deployed.', 'mcp deploy')
  return { ...shared, ...(development as object) }
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
