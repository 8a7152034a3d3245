import { defineResource } from 'mcp-hosting/server'

export default defineResource({
  uri: 'test://static-text',
  name: 'Static text',
  description: 'A text that never changes',
  mimeType: 'text/plain',
  handler: () => 'This is the content of the static text resource.',
})
