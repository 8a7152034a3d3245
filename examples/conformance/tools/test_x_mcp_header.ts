import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Has an argument that clients also send as a header',
  input: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  },
  handler: ({ region }) => `region ${region}`,
})
