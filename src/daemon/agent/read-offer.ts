import type { McpConnection } from '../../shared/mcp-connection.ts'
import type { ToolFilter } from '../../shared/test-runs.ts'
import type { Offer } from './offer.ts'

/** All lists of a server. A list that it does not have is empty. */
export async function readOffer({ client }: McpConnection, filter: ToolFilter = {}): Promise<Offer> {
  const can = client.getServerCapabilities() ?? {}
  const [tools, resources, templates, prompts] = await Promise.all([
    can.tools ? client.listTools() : { tools: [] },
    can.resources ? client.listResources() : { resources: [] },
    // Older servers have resources but do not know this method.
    can.resources
      ? client.listResourceTemplates().catch(() => ({ resourceTemplates: [] }))
      : { resourceTemplates: [] },
    can.prompts ? client.listPrompts() : { prompts: [] },
  ])
  return {
    tools: tools.tools.filter(({ name }) => isOffered(name, filter)),
    resources: resources.resources,
    resourceTemplates: templates.resourceTemplates,
    prompts: prompts.prompts,
    instructions: client.getInstructions(),
  }
}

/** Deny outranks allow; without an allow list everything is allowed. */
export function isOffered(name: string, { allow, deny }: ToolFilter): boolean {
  const isIn = (patterns: string[]) => patterns.some(pattern => matches(pattern, name))
  return (!allow || isIn(allow)) && !(deny && isIn(deny))
}

/** `*` stands for any characters. Linear: each part is looked for once, from where the last one ended. */
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
