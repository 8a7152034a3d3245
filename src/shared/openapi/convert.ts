import type { ProjectFile } from '../definitions/project-file.ts'
import {
  METHODS,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  resolveRef,
} from './description.ts'
import { type HttpTool, toTool } from './operation.ts'

/** Project file of an imported API, and warnings. */
export interface ImportedProject {
  project: Partial<ProjectFile> & { tools: unknown[] }
  /** One line per omitted operation, with the reason. */
  warnings: string[]
}

const BASE_URL_VARIABLE = 'API_BASE_URL'
/** The strictest limit among MCP clients. */
const TOOL_NAME_LENGTH = 64

/**
 * Converts an OpenAPI 3.0 or 3.1 description without references to other documents into an advanced server with one tool per
 * operation, which calls the operation over HTTP.
 */
export function convertOpenApi(document: OpenApiDocument, name: string): ImportedProject {
  const base = baseUrlOf(document)
  const env = new Map<string, object>([[BASE_URL_VARIABLE, base.variable]])
  const names = new Set<string>()
  const tools: HttpTool[] = []
  const warnings: string[] = []
  for (const { method, path, item, operation } of operationsOf(document)) {
    const parameters = mergeParameters(document, operation.parameters, item.parameters)
    const at = { document, method, path, operation, parameters, baseUrl: `{{ env.${BASE_URL_VARIABLE} }}` }
    const made = toTool(at)
    if ('skipped' in made) {
      warnings.push(`${method.toUpperCase()} ${path} was skipped: ${made.skipped}.`)
      continue
    }
    tools.push({ ...made.tool, name: uniqueToolName(made.tool.name, names) })
    for (const variable of made.env) env.set(variable.name, variable)
  }
  return { project: projectOf(document, name, tools, [...env.values()]), warnings }
}

function* operationsOf(document: OpenApiDocument) {
  for (const [path, value] of Object.entries(document.paths ?? {})) {
    const item = resolveRef<PathItem>(document, value)
    if (!item) continue
    for (const method of METHODS) {
      const operation: Operation | undefined = item[method]
      if (operation) yield { method, path, item, operation }
    }
  }
}

/** Parameters of an operation override parameters of its path that have the same name and location. */
function mergeParameters(
  document: OpenApiDocument,
  own: Parameter[] = [],
  shared: Parameter[] = [],
): Parameter[] {
  const merged = new Map<string, Parameter>()
  for (const value of [...shared, ...own]) {
    const parameter = resolveRef<Parameter>(document, value)
    if (parameter) merged.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  return [...merged.values()]
}

function projectOf(document: OpenApiDocument, name: string, tools: unknown[], env: object[]) {
  const { title, description, summary, version } = document.info
  const about =
    summary ??
    description
      ?.trim()
      .split(/\n\s*\n/)[0]
      ?.replace(/\s+/g, ' ')
  return {
    name,
    template: 'advanced',
    title,
    version: version.slice(0, 64) || '1.0.0',
    ...(about && { instructions: about }),
    env,
    tools,
    ...(isLocal(baseUrlOf(document).url) && { deploy: { development: { allow_private_network: true } } }),
  } as ImportedProject['project']
}

/** URL of the first server, as the default of a variable that a deployment can override. */
function baseUrlOf(document: OpenApiDocument) {
  const [server] = document.servers ?? []
  const url = (server?.url ?? '')
    .replace(/\{([^}]+)\}/g, (whole, name) => server?.variables?.[name]?.default ?? whole)
    .replace(/\/+$/, '')
  const absolute = /^https?:\/\//.test(url)
  return {
    url,
    variable: {
      name: BASE_URL_VARIABLE,
      description: server?.description ?? 'URL of the API without a trailing slash',
      ...(absolute ? { default: url } : { required: true }),
    },
  }
}

function isLocal(url: string): boolean {
  return /^https?:\/\/(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\])/.test(url)
}

function uniqueToolName(text: string, taken: Set<string>): string {
  const base = text.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '') || 'call'
  let name = base.slice(0, TOOL_NAME_LENGTH)
  for (let count = 2; taken.has(name); count++) {
    const suffix = `_${count}`
    name = base.slice(0, TOOL_NAME_LENGTH - suffix.length) + suffix
  }
  taken.add(name)
  return name
}
