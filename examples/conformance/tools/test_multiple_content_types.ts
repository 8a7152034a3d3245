import { defineTool, image, resource, text } from 'mcp-hosting/server'
import { PNG } from '../media/samples.ts'

export default defineTool({
  description: 'Answers with a text, a picture and a resource',
  handler: () => [
    text('Multiple content types test:'),
    image(PNG),
    resource('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
  ],
})
