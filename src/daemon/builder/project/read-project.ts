import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { counted } from '../../../shared/counted.ts'
import { inlineResourceFiles } from '../../../shared/definitions/inline-resource-files.ts'
import { HostingError } from '../../../shared/errors.ts'

const FILES = ['mcp.config.json', 'mcp.config.yaml', 'mcp.config.yml'] as const

/**
 * Unvalidated build request of an unpacked project: its project file with the contents of `resource.file`. Without a project
 * file, the name comes from `package.json`, or is `fallbackName`. Throws INVALID_MCP.
 */
export function readProject(directory: string, fallbackName: string): Record<string, unknown> {
  const file = FILES.find(name => existsSync(join(directory, name)))
  if (!file) return inferProject(directory, fallbackName)
  const {
    $schema: _schema,
    deploy: _deploy,
    test: _test,
    project: _project,
    ...request
  } = parse(directory, file)
  const problems = inlineResourceFiles(request, directory)
  if (problems.length === 0) return request
  throw new HostingError('INVALID_MCP', `${file} has ${counted(problems.length, 'problem')}.`, {
    details: problems.map(({ path, message }) => `${path}: ${message}`).join('\n'),
  })
}

function parse(directory: string, file: string): Record<string, unknown> {
  const text = readFileSync(join(directory, file), 'utf8').replace(/^\uFEFF/, '')
  let value: unknown
  try {
    value = file.endsWith('.json') ? JSON.parse(text) : parseYaml(text)
  } catch (error) {
    throw new HostingError('INVALID_MCP', `${file} cannot be parsed: ${(error as Error).message}.`, {
      cause: error,
    })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new HostingError('INVALID_MCP', `${file} must contain an object with "name" and "template".`)
}

function inferProject(directory: string, fallbackName: string): Record<string, unknown> {
  if (existsSync(join(directory, 'mcp.config.ts')))
    throw new HostingError(
      'INVALID_MCP',
      'mcp.config.ts cannot be used in an uploaded project, because it is code.',
      {
        details: `Use ${FILES.join(' or ')} instead.`,
      },
    )
  const name = packageName(directory) ?? fallbackName
  return { name: name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 63), template: 'custom' }
}

function packageName(directory: string): string | undefined {
  const file = join(directory, 'package.json')
  if (!existsSync(file)) return undefined
  const { name } = parse(directory, 'package.json')
  return typeof name === 'string' && name !== '' ? name.replace(/^@[^/]+\//, '') : undefined
}
