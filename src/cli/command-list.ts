import type { Command } from './command.ts'

/** A command before it is loaded: enough for `--help`, completion and near names. */
export interface CommandEntry {
  name: string
  summary: string
  section: Section
  aliases?: readonly string[]
  hidden?: boolean
  load(): Promise<Command>
}

export const SECTIONS = [
  'Build and run',
  'Look',
  'Life of a deployment',
  'Use a server',
  'Who and where',
  'This machine',
] as const
type Section = (typeof SECTIONS)[number]

/** Every command, in the order of `--help`. A name of two words belongs to a group: `keys create`. */
export const COMMANDS: readonly CommandEntry[] = [
  alone('init', 'Build and run', () => import('./commands/init.ts'), 'make a new project'),
  alone(
    'up',
    'Build and run',
    () => import('./commands/up.ts'),
    'build, deploy to development and call a tool, in one go',
  ),
  alone(
    'build',
    'Build and run',
    () => import('./commands/build.ts'),
    'build a server from its project file',
  ),
  alone(
    'deploy',
    'Build and run',
    () => import('./commands/deploy.ts'),
    'deploy a project or a built server to an environment',
  ),
  {
    ...alone('list', 'Look', () => import('./commands/list.ts'), 'all servers and their deployments'),
    aliases: ['ls'],
  },
  alone('status', 'Look', () => import('./commands/status.ts'), 'state of one deployment, or of all'),
  alone('logs', 'Look', () => import('./commands/logs.ts'), 'log lines of a deployment'),
  alone(
    'stop',
    'Life of a deployment',
    () => import('./commands/stop.ts'),
    'stop a deployment, keeping its address',
  ),
  alone(
    'start',
    'Life of a deployment',
    () => import('./commands/start.ts'),
    'start a stopped deployment again',
  ),
  alone(
    'restart',
    'Life of a deployment',
    () => import('./commands/restart.ts'),
    'replace the instances of a deployment by fresh ones',
  ),
  alone(
    'rollback',
    'Life of a deployment',
    () => import('./commands/rollback.ts'),
    'deploy what ran before, or a deployment you name',
  ),
  {
    ...alone(
      'remove',
      'Life of a deployment',
      () => import('./commands/remove.ts'),
      'remove a deployment or a build for good',
    ),
    aliases: ['rm'],
  },
  alone(
    'tools',
    'Use a server',
    () => import('./commands/tools.ts'),
    'list the tools of a server, or show one',
  ),
  alone('call', 'Use a server', () => import('./commands/call.ts'), 'call one tool of a server'),
  alone(
    'resources',
    'Use a server',
    () => import('./commands/resources.ts'),
    'list the resources and resource templates of a server',
  ),
  alone('read', 'Use a server', () => import('./commands/read.ts'), 'read a resource of a server'),
  alone('prompts', 'Use a server', () => import('./commands/prompts.ts'), 'list the prompts of a server'),
  alone('prompt', 'Use a server', () => import('./commands/prompt.ts'), 'fill in a prompt of a server'),
  alone('login', 'Who and where', () => import('./commands/login.ts'), 'save an API key'),
  alone('logout', 'Who and where', () => import('./commands/logout.ts'), 'forget a saved API key'),
  alone('whoami', 'Who and where', () => import('./commands/whoami.ts'), 'the key in use and what it may do'),
  ...group('keys', 'Who and where', () => import('./commands/keys.ts'), {
    list: 'all API keys',
    create: 'make an API key; its secret is shown once',
    revoke: 'make an API key worthless at once',
    check: 'tell whether a key may do a request, and why',
  }),
  ...group('context', 'Who and where', () => import('./commands/context.ts'), {
    list: 'all saved contexts',
    show: 'the API and key in use, and where each comes from',
    use: 'make a context the current one',
    add: 'save the address of an API under a name',
    remove: 'forget a context and its key',
  }),
  ...group('daemon', 'This machine', () => import('./commands/daemon.ts'), {
    start: 'start the local daemon',
    stop: 'stop the local daemon and everything it started',
    restart: 'stop the local daemon, then start it',
    status: 'whether the local daemon runs, and where',
    logs: 'what the local daemon logged',
    run: 'run the daemon in the foreground',
  }),
]

/** A command that is the default export of its own module. */
function alone(
  name: string,
  section: Section,
  load: () => Promise<{ default: Command }>,
  summary: string,
): CommandEntry {
  return { name, summary, section, load: async () => (await load()).default }
}

/** The commands of a group lie in one module, each exported under its last word. */
function group(
  name: string,
  section: Section,
  load: () => Promise<Record<string, Command>>,
  summaries: Record<string, string>,
): CommandEntry[] {
  return Object.entries(summaries).map(([word, summary]) => ({
    name: `${name} ${word}`,
    summary,
    section,
    load: async () => (await load())[word]!,
  }))
}

/** `keys` of `keys list`, `keys create` …; undefined for a command that stands alone. */
export function groupOf(entry: CommandEntry): string | undefined {
  const space = entry.name.indexOf(' ')
  return space < 0 ? undefined : entry.name.slice(0, space)
}
