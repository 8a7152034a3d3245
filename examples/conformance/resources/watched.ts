import { defineResource } from 'mcp-hosting/server'

export default defineResource({
  uri: 'test://watched-resource',
  name: 'Watched',
  description: 'A resource to subscribe to',
  mimeType: 'text/plain',
  handler: () => 'Watched resource content',
})
