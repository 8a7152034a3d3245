/** Summary of a command. Lets `--help`, completion and suggestions work without loading commands. */
export interface CommandEntry {
  /** One word, or two for a command of a group: `keys create`. */
  name: string
  /** One line without a full stop. */
  summary: string
  section: string
  aliases?: readonly string[]
  hidden?: boolean
}

const ALIASES: Readonly<Record<string, readonly string[]>> = { list: ['ls'], remove: ['rm'] }

/** Every command in the order of `--help`. `commands.ts` loads them. */
export const COMMANDS: readonly CommandEntry[] = [
  ...section('Build and run', {
    up: 'build, deploy to development and call a tool in one step',
    dev: 'serve a project and rebuild it whenever a file changes',
    init: 'create a project from a template',
    build: 'build a server from its project file',
    test: 'test a server with an agent, and judge the result',
    deploy: 'deploy a project or a built server to an environment',
    import: "host the servers of an MCP client's configuration",
    export: 'export a built server as a standalone folder or image',
  }),
  ...section('Inspect', {
    list: 'list servers and their deployments',
    status: 'show the state of one or all deployments',
    releases: 'list the releases of a server',
    logs: 'show logs of servers, deployments and container builds',
    metrics: 'show requests, errors and latencies of a server',
    events: 'follow changes to builds, deployments, instances and health',
    requests: 'list the newest requests to a server',
    'requests show': 'show a request with its arguments and answer',
    'requests replay': 'repeat a recorded tool call',
    'requests export': 'export requests as an HTTP archive (HAR)',
    sessions: 'list the open MCP sessions of a server',
    'sessions end': 'end MCP sessions of a server',
    grants: 'list the sign-in grants of a server',
    'grants revoke': 'revoke a grant with its tokens',
    clients: 'list the sign-in clients of a server',
    'clients remove': 'remove a sign-in client and revoke its grants',
  }),
  ...section('Manage deployments', {
    stop: 'stop a deployment and keep its URL',
    start: 'start a stopped deployment',
    restart: 'replace all instances of a deployment',
    rollback: 'return to the previous or a given release',
    remove: 'permanently remove a server, a deployment or a build',
    prune: 'remove builds, images and files that are no longer used',
    'env list': 'list the environment variables of a server',
    'env set': 'store environment variables of a server',
    'env unset': 'remove environment variables of a server',
    'env pull': 'write the environment variables of a server to a file',
    'env push': 'store environment variables from a file',
    'env release': 'redeploy the live build of a server with its stored variables',
  }),
  ...section('Use a server', {
    tools: 'list the tools of a server, or show one',
    call: 'call a tool of a server',
    resources: 'list the resources and resource templates of a server',
    read: 'read a resource of a server',
    prompts: 'list the prompts of a server',
    prompt: 'fill in a prompt of a server',
    'tests list': 'list suite runs, newest first',
    'tests show': 'show the cases of a suite run',
    'tests remove': 'remove a suite run',
    chat: 'chat with an agent that uses a server',
    'chats list': 'list chats with the test agent, newest first',
    'chats show': 'show the messages in a chat, oldest first',
    'chats count': 'count the messages in a chat',
    'chats remove': 'remove a chat and its messages',
    connect: "add a server to an MCP client's configuration",
    open: 'open the page of a server in a browser',
    'store list': "list the entries of a server's store",
    'store get': "show an entry of a server's store",
    'store set': "set an entry of a server's store",
    'store delete': "delete an entry of a server's store",
    'store export': "write all entries of a server's store to a file",
    'store import': "import entries from a file into a server's store",
    'domains list': 'list the host names of servers',
    'domains add': 'map a subdomain to a deployment',
    'domains remove': 'remove a mapped subdomain',
    'domains certificates': 'list the HTTPS certificates of all names',
    'domains trust': 'show how to trust the HTTPS certificates of this machine',
  }),
  ...section('Projects', {
    'projects list': 'list projects, newest first',
    'projects create': 'create a project',
    'projects show': 'show a project',
    'projects update': 'update a project',
    'projects archive': 'archive a project, so that it rejects new sources',
    'projects delete': 'permanently delete a project and its sources',
    'projects upload': "upload a folder or an archive as a project's source",
    'projects build': "build an image from a project's source",
    'projects builds': 'list container builds, newest first',
    'projects link': 'link this folder to a project, so that commands need no id',
    'projects unlink': 'unlink this folder from its project',
  }),
  ...section('Access', {
    console: 'sign a browser in to the console',
    login: 'sign in to an API, or save an API key',
    logout: 'sign out, or remove a saved API key',
    whoami: 'show the current API key and its permissions',
    'keys list': 'list API keys',
    'keys create': 'create an API key and show its secret once',
    'keys revoke': 'revoke an API key',
    'keys check': 'check whether a key may make a request, and why',
    'context list': 'list saved contexts',
    'context show': 'show the API and key in use, and where they come from',
    'context use': 'switch to a context',
    'context add': 'save the URL of an API under a name',
    'context remove': 'remove a context and its key',
    'models list': 'list the models that the test agent can use',
    'models login': "save a model vendor's key, encrypted",
    'models logout': "remove a model vendor's key",
  }),
  ...section('This machine', {
    'daemon start': 'start the local daemon',
    'daemon stop': 'stop the local daemon and everything it started',
    'daemon restart': 'restart the local daemon',
    'daemon upgrade': 'upgrade the running daemon to this version',
    'daemon status': 'show whether the local daemon is running, and where',
    'daemon logs': 'show the log of the local daemon',
    'daemon run': 'run the daemon in the foreground',
    'daemon install': 'run the daemon as a service that starts when you log in',
    'daemon uninstall': 'stop and remove the service',
    'daemon backup': 'back up the database and the files it refers to',
    'daemon restore': 'restore a backup',
    doctor: 'check the installation',
    explain: 'explain an error code or an exit code',
    completion: 'print a completion script for a shell',
    __complete: 'print suggestions for a command line',
    '__check-version': 'look up the newest version of mcp',
  }),
]

function section(title: string, summaries: Record<string, string>): CommandEntry[] {
  return Object.entries(summaries).map(([name, summary]) => ({
    name,
    summary,
    section: title,
    aliases: ALIASES[name],
    // Commands that only shells and mcp itself run are not listed.
    hidden: name.startsWith('__'),
  }))
}

/** Explanation of a command: its description or its summary. */
export function explain({ name, description }: { name: string; description?: string }): string {
  return description ?? COMMANDS.find(entry => entry.name === name)?.summary ?? ''
}

/** `keys` for `keys list`, `keys create` … Undefined for a command without a group. */
export function groupOf({ name }: CommandEntry): string | undefined {
  const space = name.indexOf(' ')
  return space < 0 ? undefined : name.slice(0, space)
}
