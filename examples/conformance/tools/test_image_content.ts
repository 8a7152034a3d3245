import { defineTool, image } from 'mcp-hosting/server'
import { PNG } from '../media/samples.ts'

export default defineTool({
  description: 'Answers with a picture',
  handler: () => image(PNG),
})
