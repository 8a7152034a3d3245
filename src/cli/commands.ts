import type { Command } from './command.ts'
import build from './commands/build.ts'
import call from './commands/call.ts'
import chat from './commands/chat.ts'
import * as completion from './commands/completion.ts'
import connect from './commands/connect.ts'
import * as context from './commands/context.ts'
import * as daemon from './commands/daemon.ts'
import * as daemonService from './commands/daemon-service.ts'
import deploy from './commands/deploy.ts'
import dev from './commands/dev.ts'
import doctor from './commands/doctor.ts'
import * as domains from './commands/domains.ts'
import exportBundle from './commands/export.ts'
import init from './commands/init.ts'
import * as keys from './commands/keys.ts'
import list from './commands/list.ts'
import login from './commands/login.ts'
import logout from './commands/logout.ts'
import logs from './commands/logs.ts'
import metrics from './commands/metrics.ts'
import * as models from './commands/models.ts'
import * as projectBuilds from './commands/project-builds.ts'
import * as projectLinks from './commands/project-links.ts'
import * as projects from './commands/projects.ts'
import prompt from './commands/prompt.ts'
import prompts from './commands/prompts.ts'
import read from './commands/read.ts'
import remove from './commands/remove.ts'
import resources from './commands/resources.ts'
import restart from './commands/restart.ts'
import rollback from './commands/rollback.ts'
import start from './commands/start.ts'
import status from './commands/status.ts'
import stop from './commands/stop.ts'
import test from './commands/test.ts'
import tools from './commands/tools.ts'
import up from './commands/up.ts'
import whoami from './commands/whoami.ts'

export { reportUsage, runCommand } from './run-command.ts'

/**
 * All commands with what runs them, in one module on purpose: each file that a start of Node loads costs it about a
 * millisecond, while functions that are not called cost next to nothing. What is large (the MCP client, zod, prompts,
 * parsers of foreign files) a command imports when it needs it.
 */
const ALL: readonly Command[] = [
  up,
  dev,
  init,
  build,
  deploy,
  test,
  chat,
  exportBundle,
  list,
  status,
  logs,
  metrics,
  stop,
  start,
  restart,
  rollback,
  remove,
  tools,
  call,
  resources,
  read,
  prompts,
  prompt,
  connect,
  ...Object.values(domains),
  login,
  logout,
  whoami,
  ...Object.values(projects),
  ...Object.values(projectBuilds),
  ...Object.values(projectLinks),
  ...Object.values(keys),
  ...Object.values(context),
  ...Object.values(models),
  ...Object.values(daemon),
  ...Object.values(daemonService),
  doctor,
  ...Object.values(completion),
]

/** Throws for a name that stands in `command-list.ts` only, which a test rules out. */
export function getCommand(name: string): Command {
  const command = ALL.find(one => one.name === name)
  if (!command) throw new Error(`the command "${name}" is listed but not made`)
  return command
}
