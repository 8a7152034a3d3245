import type {
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from '../../shared/definitions/definitions.ts'

/** Definitions as clients see them: MCP fields only. */
export function toWireTool(tool: ToolDefinition): object {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } = tool
  return { name, title, description, inputSchema, outputSchema, annotations, icons, _meta }
}

export function toWireResource(resource: ResourceDefinition): object {
  const { uri, name, title, description, mimeType, icons, annotations, size, _meta } = resource
  return { uri, name, title, description, mimeType, icons, annotations, size, _meta }
}

export function toWireResourceTemplate(resource: ResourceDefinition): object {
  const { uri: uriTemplate, name, title, description, mimeType, icons, annotations, _meta } = resource
  return { uriTemplate, name, title, description, mimeType, icons, annotations, _meta }
}

export function toWirePrompt(prompt: PromptDefinition): object {
  const { name, title, description, arguments: args, icons, _meta } = prompt
  return { name, title, description, arguments: args, icons, _meta }
}
