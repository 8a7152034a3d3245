import type { CommandContext } from '../command-line/command-context.ts'
import type { DeploymentFilter } from '../targets/resolve-id.ts'
import { pick } from './pick.ts'

/** Asks for the environment of a server with several deployments. Undefined without a terminal. */
export function environmentPicker({ output }: CommandContext): DeploymentFilter['choose'] {
  if (!output.interactive) return undefined
  return async candidates => {
    const choices = candidates.map(({ environment, deployment_id, status }) => ({
      value: deployment_id,
      label: environment ?? deployment_id,
      doc: status,
    }))
    const id = await pick('Environment', choices)
    return candidates.find(({ deployment_id }) => deployment_id === id)!
  }
}
