import type { ToolFilter } from '../../../shared/contract/testing/test-runs.ts'
import type { McpConnection } from '../../../shared/mcp-client/connect.ts'
import type { Offer } from './offer.ts'

/** Reads all lists of a server. Unsupported lists are empty. */
export async function readOffer({ client }: McpConnection, filter: ToolFilter = {}): Promise<Offer> {
  const capabilities = client.getServerCapabilities() ?? {}
  const [tools, resources, templates, prompts] = await Promise.all([
    capabilities.tools ? client.listTools() : { tools: [] },
    capabilities.resources ? client.listResources() : { resources: [] },
    // Older servers have resources but lack this method.
    capabilities.resources
      ? client.listResourceTemplates().catch(() => ({ resourceTemplates: [] }))
      : { resourceTemplates: [] },
    capabilities.prompts ? client.listPrompts() : { prompts: [] },
  ])
  return {
    tools: tools.tools.filter(({ name }) => isOffered(name, filter)),
    resources: resources.resources,
    resourceTemplates: templates.resourceTemplates,
    prompts: prompts.prompts,
    instructions: client.getInstructions(),
  }
}

/** Deny takes precedence over allow. Without an allow list everything is allowed. */
export function isOffered(name: string, { allow, deny }: ToolFilter): boolean {
  const isIn = (patterns: string[]) => patterns.some(pattern => matches(pattern, name))
  return (!allow || isIn(allow)) && !(deny && isIn(deny))
}

/** `*` matches any characters. Linear: each part is searched once, after the previous one. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return pattern === name
  const [first, last] = [parts[0]!, parts.at(-1)!]
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false
  let at = first.length
  const end = name.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
