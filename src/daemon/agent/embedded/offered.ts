import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { HINTS_KEY, type ModelHints } from '../offer/offer.ts'
import type { Schema } from './tools/schema.ts'
import type { Tool } from './tools/signature.ts'

/** A tool, a resource or a prompt, represented as a tool. */
export interface OfferedTool {
  tool: Tool
  resource?: string
  /** Converts arguments for `tool` to the actual call. */
  toCall(args: Record<string, unknown>): { toolName: string; args: Record<string, unknown> }
}

/** Everything that the server offers. Resources and prompts are in the call's options (see offer.ts). */
export function offeredIn(call: LanguageModelV4CallOptions, message: string): OfferedTool[] {
  const hints = (call.providerOptions?.[HINTS_KEY] ?? {}) as Partial<ModelHints>
  const indirect = new Set([hints.readResource, hints.getPrompt])
  const tools = (call.tools ?? []).filter(tool => tool.type === 'function' && !indirect.has(tool.name))
  return [
    ...tools.map(tool => offerTool(tool as LanguageModelV4FunctionTool)),
    ...offerResources(hints),
    ...offerTemplates(hints, message),
    ...offerPrompts(hints),
  ]
}

function offerTool({ name, description, inputSchema }: LanguageModelV4FunctionTool): OfferedTool {
  const tool = { name, ...(description && { description }), inputSchema: inputSchema as Schema }
  return { tool, toCall: args => ({ toolName: name, args }) }
}

/** Tools are preferred. A resource or a prompt must fit better or be named explicitly. */
const HANDICAP = 0.15

const NO_PARAMETERS: Schema = { type: 'object', properties: {} }

function offerResources({ readResource, resources = [] }: Partial<ModelHints>): OfferedTool[] {
  if (!readResource) return []
  return resources.map(({ uri, name, description = '' }) => ({
    tool: {
      name: uri,
      description: `${name}. ${description} (resource)`,
      inputSchema: { ...NO_PARAMETERS },
      handicap: HANDICAP,
    },
    resource: name,
    toCall: () => ({ toolName: readResource, args: { uri } }),
  }))
}

/** Offers each template, or the resources of that template whose URIs the message contains. */
function offerTemplates(
  { readResource, resourceTemplates = [] }: Partial<ModelHints>,
  message: string,
): OfferedTool[] {
  if (!readResource) return []
  return resourceTemplates.flatMap(template => {
    const written = urisIn(message).filter(uri => matchesTemplate(uri, template.uriTemplate))
    if (written.length === 0) return offerTemplate(readResource, template)
    return offerResources({ readResource, resources: written.map(uri => ({ ...template, uri })) })
  })
}

function offerTemplate(
  readResource: string,
  { uriTemplate, name, description = '' }: ModelHints['resourceTemplates'][number],
): OfferedTool {
  return {
    resource: name,
    tool: {
      name: uriTemplate.replace(VARIABLE, ''),
      handicap: HANDICAP,
      description: `${name}. ${description} (resource)`,
      inputSchema: textSchema(variablesOf(uriTemplate).map(variable => ({ name: variable, required: true }))),
    },
    toCall: args => ({ toolName: readResource, args: { uri: expand(uriTemplate, args) } }),
  }
}

function urisIn(message: string): string[] {
  const words = message.split(/[\s"'`<>()]+/).map(word => word.replace(/[.,;:!?]{1,3}$/, ''))
  return [...new Set(words.filter(word => word.includes('://')))]
}

/** True if the URI starts like the template and continues with a value. */
function matchesTemplate(uri: string, template: string): boolean {
  const literal = template.slice(0, Math.max(template.indexOf('{'), 0))
  return literal.includes('://') && uri.startsWith(literal) && uri.length > literal.length
}

const READING = new Set(['read', 'open', 'resource', 'resources', 'document', 'uri'])

/** True if the message asks to read something, or contains a resource's URI or its multi-word name. */
export function asksToRead(message: string, offered: OfferedTool[]): boolean {
  const text = message.toLowerCase()
  const words = text.split(/[^\p{L}\p{N}]+/u)
  const spoken = ` ${words.join(' ')} `
  return (
    words.some(word => READING.has(word)) ||
    offered.some(({ resource, tool }) => {
      if (resource === undefined) return false
      const name = resource.toLowerCase().split(/[^\p{L}\p{N}]+/u)
      return (
        text.includes(tool.name.toLowerCase()) || (name.length > 1 && spoken.includes(` ${name.join(' ')} `))
      )
    })
  )
}

function offerPrompts({ getPrompt, prompts = [] }: Partial<ModelHints>): OfferedTool[] {
  if (!getPrompt) return []
  return prompts.map(({ name, description = '', arguments: parameters }) => ({
    tool: {
      name,
      description: `${description} (prompt)`,
      inputSchema: textSchema(parameters),
      handicap: HANDICAP,
    },
    toCall: args => ({
      toolName: getPrompt,
      args: { name, ...(Object.keys(args).length > 0 && { arguments: args }) },
    }),
  }))
}

function textSchema(parameters: { name: string; description?: string; required: boolean }[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description }) => [name, { type: 'string', description }]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** RFC 6570 expressions. Operators are ignored. */
const VARIABLE = /\{[+#./;?&]?([\w,.*:]+)\}/g

function variablesOf(template: string): string[] {
  return [...template.matchAll(VARIABLE)].flatMap(match => match[1]!.split(',').map(plainName))
}

function plainName(variable: string): string {
  return variable.replace(/[*:].*$/, '')
}

function expand(template: string, args: Record<string, unknown>): string {
  return template.replace(VARIABLE, (_, names: string) =>
    names
      .split(',')
      .map(name => encodeURIComponent(String(args[plainName(name)] ?? '')))
      .join(','),
  )
}
