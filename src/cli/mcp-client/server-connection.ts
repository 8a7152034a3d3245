import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client'

/**
 * A connection to an MCP server. Lists contain all pages, and are empty when the server has nothing of that kind. Errors have the
 * `code` of JSON-RPC.
 */
export interface ServerConnection {
  listTools(): Promise<Tool[]>
  listPrompts(): Promise<Prompt[]>
  listResources(): Promise<ResourceLists>
  /** A tool error is a result with `isError`. */
  callTool(tool: Tool, args: Record<string, unknown>, onProgress?: OnProgress): Promise<CallToolResult>
  getPrompt(name: string, args: Record<string, string>): Promise<GetPromptResult>
  readResource(uri: string): Promise<ReadResourceResult>
}

interface ResourceLists {
  resources: Resource[]
  resourceTemplates: ResourceTemplateType[]
}

export type OnProgress = (progress: number, total: number | undefined, message: string | undefined) => void
