import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client'

/** The lists of a server. */
export interface Offer {
  tools: Tool[]
  resources: Resource[]
  resourceTemplates: ResourceTemplateType[]
  prompts: Prompt[]
  /** Usage instructions of the server. */
  instructions?: string
}

/**
 * Models support only tools, so they read a resource by calling `read_resource` with `{uri}` and fetch a prompt by calling
 * `get_prompt` with `{name, arguments}`. Each is offered only if the server has something to read or fetch. A number is
 * appended to its name if one of the server's tools has the same name.
 */
export const READ_RESOURCE = 'read_resource'
export const GET_PROMPT = 'get_prompt'

/**
 * Key of {@link ModelHints} in the call option `providerOptions`: the descriptions of these tools as structured data.
 * Vendors' providers ignore other keys.
 */
export const HINTS_KEY = 'mcp-hosting'

export interface ModelHints {
  /** Tool names, absent when not offered. */
  readResource?: string
  getPrompt?: string
  resources: { uri: string; name: string; description?: string; mimeType?: string }[]
  resourceTemplates: { uriTemplate: string; name: string; description?: string; mimeType?: string }[]
  prompts: {
    name: string
    description?: string
    arguments: { name: string; description?: string; required: boolean }[]
  }[]
}
