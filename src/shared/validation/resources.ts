import type { BuildRequest, ResourceDefinition } from '../definitions/definitions.ts'
import { isUriTemplate, parseUriTemplate } from '../definitions/uri-template.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'

/** Service interface 2.3: `<scheme>://<path>`. */
const URI = /^[a-z][a-z0-9+.-]*:\/\/\S+$/i
/** RFC 3986 section 2. Other characters are percent-encoded. */
const URI_CHARACTERS = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const CONTENTS = ['text', 'blob', 'file', 'handler'] as const

export function findResourceProblems({ resources = [] }: BuildRequest): DefinitionProblem[] {
  return resources.flatMap((resource, index) => {
    const path = `resources[${index}]`
    const problems = [...checkContent(path, resource), ...checkUri(`${path}.uri`, resource.uri)]
    return problems.length > 0 ? problems : checkCompletions(path, resource)
  })
}

function checkUri(path: string, uri: string): DefinitionProblem[] {
  if (!isUriTemplate(uri)) return checkPlainUri(path, uri, uri)
  if (/^[^:]*\{/.test(uri)) return problem(path, `"${uri}" has a variable in its scheme`)
  try {
    parseUriTemplate(uri)
  } catch (error) {
    return problem(path, `"${uri}" ${(error as Error).message}`)
  }
  return checkPlainUri(path, uri, uri.replace(/\{[^}]*\}/g, 'x'))
}

function checkPlainUri(path: string, given: string, filled: string): DefinitionProblem[] {
  if (URI.test(filled)) return checkCharacters(path, given, filled)
  return problem(path, `"${given}" is not of the form <scheme>://<path>, such as weather://cities`)
}

function checkCharacters(path: string, given: string, filled: string): DefinitionProblem[] {
  if (URI_CHARACTERS.test(filled)) return []
  const invalid = filled.match(/%(?![0-9A-Fa-f]{2})|[^\w.~:/?#[\]@!$&'()*+,;=%-]/u)?.[0] ?? '%'
  const encoded = invalid.isWellFormed() ? ` as ${encodeURIComponent(invalid)}` : ''
  return problem(path, `"${given}" contains "${invalid}"; percent-encode it${encoded}`)
}

function checkContent(path: string, resource: ResourceDefinition): DefinitionProblem[] {
  const given = CONTENTS.filter(name => resource[name] !== undefined)
  if (given.length > 1)
    return problem(path, `has ${given.map(name => `"${name}"`).join(' and ')}; only one is allowed`)
  if (resource.file !== undefined)
    return problem(
      `${path}.file`,
      'is a path, and only the mcp command reads files; send the content as "text" or "blob"',
    )
  if (resource.blob !== undefined && !BASE64.test(resource.blob))
    return problem(`${path}.blob`, 'is not Base64 (RFC 4648 section 4)')
  return []
}

function checkCompletions(path: string, { uri, completions }: ResourceDefinition): DefinitionProblem[] {
  const variables = isUriTemplate(uri) ? parseUriTemplate(uri).variables : []
  return unknownCompletions(path, completions, variables, `the URI "${uri}"`)
}

/** Completions for variables that do not exist. */
export function unknownCompletions(
  path: string,
  completions: object | undefined,
  variables: readonly string[],
  owner: string,
): DefinitionProblem[] {
  const known = variables.length > 0 ? variables.map(name => `"${name}"`).join(', ') : 'none'
  return Object.keys(completions ?? {})
    .filter(name => !variables.includes(name))
    .map(name => ({
      path: `${path}.completions.${name}`,
      message: `is not a variable of ${owner}; its variables: ${known}`,
    }))
}
