import { defineResource } from 'mcp-hosting/server'
import { PNG } from '../media/samples.ts'

export default defineResource({
  uri: 'test://static-binary',
  name: 'Static binary',
  description: 'A picture that never changes',
  mimeType: 'image/png',
  handler: () => Buffer.from(PNG, 'base64'),
})
