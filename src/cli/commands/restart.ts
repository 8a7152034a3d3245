import { defineDeploymentAction } from '../targets/deployment-action.ts'

export default defineDeploymentAction({
  name: 'restart',
  description: 'Start new instances, switch to them once they are healthy, and drain the old instances.',
  examples: { 'mcp restart weather --env production': 'without failing requests' },
  prefer: ['deployed', 'deploying'],
  doing: 'Restarting',
  done: 'Restarted',
})
