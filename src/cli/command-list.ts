/** What `--help`, completion and near names need to know of a command; nothing of it is loaded for that. */
export interface CommandEntry {
  /** One word, or two for a command of a group: `keys create`. */
  name: string
  summary: string
  section: string
  aliases?: readonly string[]
  hidden?: boolean
}

const ALIASES: Readonly<Record<string, readonly string[]>> = { list: ['ls'], remove: ['rm'] }

/** Every command in the order of `--help`; the commands themselves stand in `commands.ts`. */
export const COMMANDS: readonly CommandEntry[] = [
  ...section('Build and run', {
    up: 'build, deploy to development and call a tool, in one go',
    dev: 'build, serve and reload a project while you work on it',
    init: 'make a new project',
    build: 'build a server from its project file',
    test: 'let an agent use the server, and judge what it does',
    deploy: 'deploy a project or a built server to an environment',
    export: 'a built server as a folder or image that runs alone',
  }),
  ...section('Look', {
    list: 'all servers and their deployments',
    status: 'state of one deployment, or of all',
    logs: 'log lines of a deployment or a container build',
    metrics: 'requests, errors and latencies of a deployment',
  }),
  ...section('Life of a deployment', {
    stop: 'stop a deployment, keeping its address',
    start: 'start a stopped deployment again',
    restart: 'replace the instances of a deployment by fresh ones',
    rollback: 'deploy what ran before, or a deployment you name',
    remove: 'remove a deployment or a build for good',
  }),
  ...section('Use a server', {
    tools: 'list the tools of a server, or show one',
    call: 'call one tool of a server',
    resources: 'list the resources and resource templates of a server',
    read: 'read a resource of a server',
    prompts: 'list the prompts of a server',
    prompt: 'fill in a prompt of a server',
    chat: 'talk with an agent that uses a server',
    'chats list': 'chats with the test agent, newest first',
    'chats show': 'messages of a chat, oldest first',
    'chats count': 'number of messages in a chat',
    'chats remove': 'remove a chat with its messages',
    connect: "put a server into an MCP client's configuration",
    'domains list': 'the names by which servers are found',
    'domains add': 'lead a subdomain to a deployment',
    'domains remove': 'remove a mapped subdomain',
    'domains trust': 'how to trust the https certificates of this machine',
  }),
  ...section('Projects', {
    'projects list': 'all projects, newest first',
    'projects create': 'make a project',
    'projects show': 'one project',
    'projects update': 'change fields of a project',
    'projects archive': 'put a project aside; it takes no source until it is active again',
    'projects delete': 'delete a project and its sources for good',
    'projects upload': "upload a folder or an archive as a project's source",
    'projects build': "build an image of a project's source",
    'projects builds': 'container builds, newest first',
    'projects link': 'link this folder to a project, so that commands in it need no id',
    'projects unlink': 'forget which project this folder is linked to; the project stays',
  }),
  ...section('Who and where', {
    login: 'sign in to an API, or save a key of it',
    logout: 'end a sign-in, forget a saved key',
    whoami: 'the key in use and what it may do',
    'keys list': 'all API keys',
    'keys create': 'make an API key; its secret is shown once',
    'keys revoke': 'make an API key worthless at once',
    'keys check': 'tell whether a key may do a request, and why',
    'context list': 'all saved contexts',
    'context show': 'the API and key in use, and where each comes from',
    'context use': 'make a context the current one',
    'context add': 'save the address of an API under a name',
    'context remove': 'forget a context and its key',
    'models list': 'models the test agent has keys for, and the default one',
    'models login': "save a model vendor's key, encrypted",
    'models logout': "forget a model vendor's key",
  }),
  ...section('This machine', {
    'daemon start': 'start the local daemon',
    'daemon stop': 'stop the local daemon and everything it started',
    'daemon restart': 'put a new daemon in the place of the running one',
    'daemon upgrade': 'let a daemon of this version take over',
    'daemon status': 'whether the local daemon runs, and where',
    'daemon logs': 'what the local daemon logged',
    'daemon run': 'run the daemon in the foreground',
    'daemon install': 'start the daemon with every login, as a service of yours',
    'daemon uninstall': 'stop the service and remove it',
    'daemon backup': 'back up the database and the files that it refers to',
    'daemon restore': 'restore a backup',
    doctor: 'check the installation',
    completion: 'completion for a shell',
    __complete: 'suggestions for a command line',
  }),
]

function section(title: string, summaries: Record<string, string>): CommandEntry[] {
  return Object.entries(summaries).map(([name, summary]) => ({
    name,
    summary,
    section: title,
    aliases: ALIASES[name],
    // What only the shell types is not for people to see.
    hidden: name.startsWith('__'),
  }))
}

/** `keys` of `keys list`, `keys create` …; undefined for a command that stands alone. */
export function groupOf({ name }: CommandEntry): string | undefined {
  const space = name.indexOf(' ')
  return space < 0 ? undefined : name.slice(0, space)
}
