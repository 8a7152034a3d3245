import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { HINTS_KEY, type ModelHints } from '../offer.ts'
import type { Schema } from './tools/schema.ts'
import type { Tool } from './tools/signature.ts'

/** Something that can be asked for: a tool, a resource or a prompt, all looked at as tools. */
export interface Offered {
  tool: Tool
  /** The call that the loop carries out, from arguments for `tool`. */
  toCall(args: Record<string, unknown>): { toolName: string; args: Record<string, unknown> }
}

/** Everything that the server offers. Resources and prompts are told in the call's options (see offer.ts). */
export function offeredIn(call: LanguageModelV4CallOptions): Offered[] {
  const hints = (call.providerOptions?.[HINTS_KEY] ?? {}) as Partial<ModelHints>
  const indirect = new Set([hints.readResource, hints.getPrompt])
  const tools = (call.tools ?? []).filter(tool => tool.type === 'function' && !indirect.has(tool.name))
  return [
    ...tools.map(tool => offerTool(tool as LanguageModelV4FunctionTool)),
    ...offerResources(hints),
    ...offerTemplates(hints),
    ...offerPrompts(hints),
  ]
}

function offerTool({ name, description, inputSchema }: LanguageModelV4FunctionTool): Offered {
  const tool = { name, ...(description && { description }), inputSchema: inputSchema as Schema }
  return { tool, toCall: args => ({ toolName: name, args }) }
}

/** Tools come first: a resource or a prompt has to fit better, or to be named as such. */
const HANDICAP = 0.15

/** One schema object for all, so that what was prepared for it is found again. */
const NO_PARAMETERS: Schema = { type: 'object', properties: {} }

function offerResources({ readResource, resources = [] }: Partial<ModelHints>): Offered[] {
  if (!readResource) return []
  return resources.map(({ uri, name, description = '' }) => ({
    tool: {
      name: uri,
      description: `${name}. ${description} (resource)`,
      inputSchema: { ...NO_PARAMETERS },
      handicap: HANDICAP,
    },
    toCall: () => ({ toolName: readResource, args: { uri } }),
  }))
}

function offerTemplates({ readResource, resourceTemplates = [] }: Partial<ModelHints>): Offered[] {
  if (!readResource) return []
  return resourceTemplates.map(({ uriTemplate, name, description = '' }) => ({
    tool: {
      name: uriTemplate.replace(VARIABLE, ''),
      handicap: HANDICAP,
      description: `${name}. ${description} (resource)`,
      inputSchema: textSchema(variablesOf(uriTemplate).map(variable => ({ name: variable, required: true }))),
    },
    toCall: args => ({ toolName: readResource, args: { uri: expand(uriTemplate, args) } }),
  }))
}

function offerPrompts({ getPrompt, prompts = [] }: Partial<ModelHints>): Offered[] {
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

/** RFC 6570 expressions; each variable gets its value, whatever the operator. */
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
