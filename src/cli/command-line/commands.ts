import type { Command } from './command.ts'

export { reportUsage, runCommand } from './run-command.ts'

/**
 * File of each command or group, loaded when it runs. Loading all of them took twice as long as loading the common modules,
 * which the build keeps in two files (`scripts/start-in-one-file.ts`).
 */
const FILES: Readonly<Record<string, () => Promise<object>>> = {
  up: () => import('../commands/up.ts'),
  dev: () => import('../commands/dev.ts'),
  init: () => import('../commands/init.ts'),
  build: () => import('../commands/build.ts'),
  test: () => import('../commands/test.ts'),
  deploy: () => import('../commands/deploy.ts'),
  export: () => import('../commands/export.ts'),
  list: () => import('../commands/list.ts'),
  status: () => import('../commands/status.ts'),
  releases: () => import('../commands/releases.ts'),
  logs: () => import('../commands/logs.ts'),
  metrics: () => import('../commands/metrics.ts'),
  events: () => import('../commands/events.ts'),
  requests: () => import('../commands/requests.ts'),
  sessions: () => import('../commands/sessions.ts'),
  grants: () => import('../commands/grants.ts'),
  clients: () => import('../commands/clients.ts'),
  stop: () => import('../commands/stop.ts'),
  start: () => import('../commands/start.ts'),
  restart: () => import('../commands/restart.ts'),
  rollback: () => import('../commands/rollback.ts'),
  env: () => import('../commands/env.ts'),
  remove: () => import('../commands/remove.ts'),
  prune: () => import('../commands/prune.ts'),
  tools: () => import('../commands/tools.ts'),
  call: () => import('../commands/call.ts'),
  resources: () => import('../commands/resources.ts'),
  read: () => import('../commands/read.ts'),
  prompts: () => import('../commands/prompts.ts'),
  prompt: () => import('../commands/prompt.ts'),
  tests: () => import('../commands/tests.ts'),
  chat: () => import('../commands/chat.ts'),
  chats: () => import('../commands/chats.ts'),
  connect: () => import('../commands/connect.ts'),
  open: () => import('../commands/open.ts'),
  store: () => import('../commands/store.ts'),
  import: () => import('../commands/import.ts'),
  domains: () => import('../commands/domains.ts'),
  projects: () => import('../commands/projects.ts'),
  'projects build': () => import('../commands/project-builds.ts'),
  'projects builds': () => import('../commands/project-builds.ts'),
  'projects link': () => import('../commands/project-links.ts'),
  'projects unlink': () => import('../commands/project-links.ts'),
  console: () => import('../commands/console.ts'),
  login: () => import('../commands/login.ts'),
  logout: () => import('../commands/logout.ts'),
  whoami: () => import('../commands/whoami.ts'),
  keys: () => import('../commands/keys.ts'),
  context: () => import('../commands/context.ts'),
  models: () => import('../commands/models.ts'),
  daemon: () => import('../commands/daemon.ts'),
  'daemon install': () => import('../commands/daemon-service.ts'),
  'daemon uninstall': () => import('../commands/daemon-service.ts'),
  'daemon backup': () => import('../commands/daemon-backups.ts'),
  'daemon restore': () => import('../commands/daemon-backups.ts'),
  doctor: () => import('../commands/doctor.ts'),
  explain: () => import('../commands/explain.ts'),
  completion: () => import('../commands/completion.ts'),
  __complete: () => import('../commands/completion.ts'),
  '__check-version': () => import('../commands/check-version.ts'),
}

/** Throws for a command of `COMMANDS` that is missing here. A test compares both lists. */
export async function loadCommand(name: string): Promise<Command> {
  const load = FILES[name] ?? FILES[name.split(' ', 1)[0]!]
  const exported: unknown[] = Object.values((await load?.()) ?? {})
  const command = exported.find(one => isCommand(one) && one.name === name)
  if (!command) throw new Error(`command "${name}" is listed but not defined`)
  return command as Command
}

function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && 'run' in value
}
