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
