import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client'

/** Everything a server offers to a model, as its lists tell it. */
export interface Offer {
  tools: Tool[]
  resources: Resource[]
  resourceTemplates: ResourceTemplateType[]
  prompts: Prompt[]
  /** The server's own words on how it is to be used. */
  instructions?: string
}

/**
 * Models know tools only: a resource is read by calling `read_resource` with `{uri}`, a prompt is fetched by calling
 * `get_prompt` with `{name, arguments}`. Each of the two is offered when the server has such things, under this name, or with a number
 * after it when a tool of the server has the name.
 */
export const READ_RESOURCE = 'read_resource'
export const GET_PROMPT = 'get_prompt'

/**
 * Key of the call option `providerOptions` under which a model finds {@link ModelHints}: what the tools' descriptions say
 * in prose, as data. Vendors' providers look at their own key only.
 */
export const HINTS_KEY = 'mcp-hosting'

export interface ModelHints {
  /** Names under which the two are offered; absent when they are not. */
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
