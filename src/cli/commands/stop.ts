import type { ContainerBuildRecord } from '../../shared/contract/builds/container-builds.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { defineDeploymentAction, ONE_DEPLOYMENT } from '../targets/deployment-action.ts'
import { resolveContainerBuild } from '../targets/resolve-id.ts'

const stopDeployment = defineDeploymentAction({
  name: 'stop',
  description:
    'Stop a deployment. New connections are refused, and running requests finish. `mcp start` starts it again at the same URL. A pending or running container build is killed with all its processes.',
  examples: {
    'mcp stop weather': 'the live deployment of the server',
    'mcp stop weather --env staging': 'in one environment',
    'mcp stop dep_4h7k': 'by id prefix',
    'mcp stop bld_9c2e': 'a container build',
  },
  prefer: ['deployed', 'deploying'],
  doing: 'Stopping',
  done: 'Stopped',
})

export default defineCommand({
  ...stopDeployment,
  ...ONE_DEPLOYMENT,
  arguments: {
    id: {
      kind: 'server',
      required: true,
      doc: `${ONE_DEPLOYMENT.arguments.id.doc}, or a container build's id`,
    },
  },
  async run(context, input) {
    return input.id.startsWith('bld_')
      ? stopContainerBuild(context, input.id)
      : stopDeployment.run(context, input)
  },
})

async function stopContainerBuild({ api, output }: CommandContext, reference: string): Promise<undefined> {
  const client = await api()
  const id = await resolveContainerBuild(client, reference)
  const build = await client.post<ContainerBuildRecord>(`/api/lambda-builds/${encodeURIComponent(id)}/stop`)
  output.result(build, () => {
    output.line(`Stopped container build ${id}`)
    output.next({ description: 'Show its log', command: `mcp logs ${id}` })
  })
}
