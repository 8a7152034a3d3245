import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Asks for the folders of the client',
  handler: async (_args, context) => {
    const roots = await context.listRoots({ key: 'client_roots' })
    return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`
  },
})
