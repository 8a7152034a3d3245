import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Notifies all listening clients that the list of tools changed',
  handler: (_args, context) => {
    context.announce('tools')
    return 'announced'
  },
})
