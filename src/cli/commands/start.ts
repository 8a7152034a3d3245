import { defineDeploymentAction } from '../targets/deployment-action.ts'

export default defineDeploymentAction({
  name: 'start',
  description: 'Start a stopped or failed deployment at its previous URL.',
  examples: {
    'mcp start weather': 'the stopped deployment of the server',
    'mcp start dep_4h7k --json': 'by id prefix',
  },
  prefer: ['stopped', 'failed'],
  doing: 'Starting',
  done: 'Started',
})
