import { defineDeploymentAction } from '../deployment-action.ts'

export default defineDeploymentAction({
  name: 'start',
  summary: 'start a stopped deployment again',
  description: 'Starts a stopped or failed deployment again, at the address it had.',
  examples: [
    { command: 'mcp start weather', does: "the server's stopped deployment" },
    { command: 'mcp start dep_4h7k --json', does: 'by a prefix of its id' },
  ],
  prefer: ['stopped', 'failed'],
  doing: 'Starting',
  done: 'Started',
})
