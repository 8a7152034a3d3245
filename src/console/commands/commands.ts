import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { notifyError } from '../components/notices.tsx'
import type { Server } from '../model/servers.ts'
import { navigate } from '../router/router.ts'
import { performVerb, verbLabel, verbsOf } from '../views/deployment-verbs.ts'
import { type ServerTab, serverPath } from '../views/paths.ts'
import { fuzzyScore } from './fuzzy.ts'

export interface Command {
  title: string
  kind: 'View' | 'Server' | 'Action'
  run(): void
}

/** Path and title of each view of the main navigation. */
export type Views = readonly (readonly [path: string, title: string])[]

/** Commands that open a view. */
export function viewCommands(views: Views): Command[] {
  return views.map(([path, title]) => ({ title, kind: 'View', run: () => navigate(path) }))
}

/** Commands for a server: its tabs, and actions for each environment. */
export function serverCommands(
  { name, deployments }: Server,
  tabs: readonly (readonly [path: ServerTab, title: string])[],
  onStop: (deployment: DeploymentStatus) => void,
): Command[] {
  return [
    ...tabs.map(([path, title]) => ({
      title: path === '' ? name : `${name} › ${title}`,
      kind: 'Server' as const,
      run: () => navigate(serverPath(name, path)),
    })),
    ...deployments.flatMap(deployment =>
      verbsOf(deployment).map(verb => ({
        title: verbLabel(verb, deployment),
        kind: 'Action' as const,
        run: () =>
          verb === 'stop' ? onStop(deployment) : void performVerb(verb, deployment).catch(notifyError),
      })),
    ),
  ]
}

/** Commands that match, best first. Without a query, all commands in their original order. */
export function findCommands(commands: readonly Command[], query: string): Command[] {
  return commands
    .map(command => ({ command, score: fuzzyScore(query, command.title) }))
    .filter((found): found is { command: Command; score: number } => found.score !== undefined)
    .toSorted((a, b) => b.score - a.score)
    .map(({ command }) => command)
}
