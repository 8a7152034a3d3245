import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Tells everybody who listens that the list of tools changed',
  handler: (_args, context) => {
    context.announce('tools')
    return 'announced'
  },
})
