import { defineResource } from 'mcp-hosting/server'

export default defineResource({
  uri: 'test://template/{id}/data',
  name: 'Template',
  description: 'Data of an id',
  mimeType: 'application/json',
  complete: { id: ['1', '2', '3'] },
  handler: ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
})
