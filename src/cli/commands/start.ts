import { defineDeploymentAction } from '../targets/deployment-action.ts'

export default defineDeploymentAction({
  name: 'start',
  description: 'Start a stopped or failed deployment at its previous address.',
  examples: [
    { command: 'mcp start weather', does: 'the stopped deployment of the server' },
    { command: 'mcp start dep_4h7k --json', does: 'by id prefix' },
  ],
  prefer: ['stopped', 'failed'],
  doing: 'Starting',
  done: 'Started',
})
