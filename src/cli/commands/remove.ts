import type { ApiClient } from '../api/client.ts'
import { defineCommand } from '../command-line/command.ts'
import { confirm } from '../output/prompt.ts'
import { ONE_DEPLOYMENT } from '../targets/deployment-action.ts'
import { findDeployment, resolveBuild, resolveDeployment } from '../targets/resolve-id.ts'

export default defineCommand({
  name: 'remove',
  description:
    'Stop a deployment immediately and remove it with its logs. With an mcp_id, remove a build that no deployment uses.',
  arguments: {
    id: {
      required: true,
      doc: 'deployment id or unique prefix, server name, or mcp_id of a build',
    },
  },
  options: ONE_DEPLOYMENT.options,
  examples: {
    'mcp remove weather --env staging': 'after confirmation',
    'mcp remove dep_4h7k --yes': 'without confirmation',
    'mcp remove mcp_9x2m --yes': 'a build',
  },
  async run(context, { id: reference, env }) {
    const { output } = context
    const api = await context.api()
    const isBuild = reference.startsWith('mcp_')
    const { id, label } = isBuild
      ? { id: await resolveBuild(api, reference), label: 'build' }
      : await nameDeployment(api, reference, env)
    await confirm(context, `Permanently remove ${label} ${id}?`)
    await api.delete(`/v1/${isBuild ? 'build' : 'deploy'}/${encodeURIComponent(id)}`)
    output.result({ removed: id }, () => {
      output.line(`Removed ${label} ${id}`)
      output.next({ description: 'List what remains', command: 'mcp list' })
    })
  },
})

async function nameDeployment(
  api: ApiClient,
  reference: string,
  environment: (typeof ONE_DEPLOYMENT.options.env.choices)[number] | undefined,
): Promise<{ id: string; label: string }> {
  if (reference.startsWith('dep_'))
    return { id: await resolveDeployment(api, reference), label: 'deployment' }
  const found = await findDeployment(api, reference, { environment })
  if (!found) return { id: reference, label: 'deployment' }
  const where = found.environment ? ` in ${found.environment}` : ''
  return { id: found.deployment_id, label: `deployment of ${found.name}${where}` }
}
