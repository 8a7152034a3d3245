import { HostingError, type NextStep } from '../../shared/errors.ts'

/** Operations of the service interface, sections 4.1 to 4.11. All others are extensions. */
const CONTRACT = [
  /^POST \/v1\/(build|test|deploy)$/,
  /^GET \/v1\/deploy\/[^/]+\/status$/,
  /^POST \/api\/lambda-builds\/trigger\/[^/]+$/,
  /^GET \/api\/lambda-builds\/[^/]+\/logs$/,
  /^PATCH \/api\/projects\/[^/]+$/,
  /^GET \/api\/deployments\/api-key\/info$/,
  /^GET \/api\/chat-messages\/chat\/id\/[^/]+\/count$/,
  /^DELETE \/api\/lambda-mapping\/[^/]+$/,
  /^GET \/api\/lambda-deploy\/[^/]+\/health$/,
]

const MISSING_STATUSES = [404, 405, 501]

export interface RefusedRequest {
  status: number
  url: string
  method: string
  path: string
  /** True when the response has an error code of the API itself, so the API knows the path. */
  isExplained: boolean
}

/** True when the API lacks the operation, false when it only lacks the requested record. */
export function lacksOperation({ status, method, path, isExplained }: RefusedRequest): boolean {
  if (!MISSING_STATUSES.includes(status) || isInContract(method, path)) return false
  // A path without an id names no record that could be missing.
  return !isExplained || /^\/(v1|api)\/[\w-]+$/.test(withoutQuery(path))
}

function isInContract(method: string, path: string): boolean {
  return CONTRACT.some(operation => operation.test(`${method} ${withoutQuery(path)}`))
}

/** METHOD_NOT_ALLOWED with a next step that works with the contract alone. */
export function missingExtension({ url, method, path }: RefusedRequest, cause?: unknown): HostingError {
  const operation = `${method} ${decodeURIComponent(withoutQuery(path))}`
  return new HostingError('METHOD_NOT_ALLOWED', `${url} does not offer ${operation}.`, {
    details: 'This command needs that operation, an extension of the service interface.',
    next: nextSteps(withoutQuery(path)),
    cause,
  })
}

function nextSteps(path: string): NextStep[] {
  const [family = '', id = '', ...rest] = path.split('/').slice(2).map(decodeURIComponent)
  switch (family) {
    case 'deploy':
      return [
        { description: 'Show the state of a deployment', command: `mcp status ${id || '<deployment id>'}` },
      ]
    case 'build':
      return [{ description: 'Deploy a build by id', command: `mcp deploy ${id || '<mcp_id>'}` }]
    case 'logs':
    case 'metrics':
    case 'lambda-deploy':
      return [healthOf(id)]
    case 'suite-runs':
      return [{ description: 'Run a test suite', command: 'mcp test --suite <file>' }]
    case 'requests':
      return [
        {
          description: 'This API keeps no request records. Show the health of a deployment',
          command: 'mcp status <deployment id> --health',
        },
      ]
    case 'projects':
      return [
        {
          description: 'Build an image from a project',
          command: `mcp projects build ${id || '<project id>'}`,
        },
      ]
    case 'lambda-builds':
      return [{ description: 'Show the log of a container build', command: `mcp logs ${id || '<build id>'}` }]
    case 'lambda-mapping':
      return [{ description: 'Remove a subdomain', command: `mcp domains remove ${id || '<subdomain>'}` }]
    case 'chats':
    case 'chat-messages':
      return [
        { description: 'Count the messages of a chat', command: `mcp chats count ${chatOf([id, ...rest])}` },
      ]
    case 'servers':
      if (rest[0] === 'store' || rest.length === 0) return [WHOAMI_STEP]
      return [
        {
          description: 'This API stores no variables. Pass them with each deployment',
          command: 'mcp deploy --set KEY=<value>',
        },
      ]
    case 'model-keys':
      return [
        { description: 'Use a model that the API has a key for', command: 'mcp test --model <model> "…"' },
      ]
    default:
      return [WHOAMI_STEP]
  }
}

const WHOAMI_STEP = { description: 'Show the current API key and its permissions', command: 'mcp whoami' }

function healthOf(id: string): NextStep {
  return {
    description: 'Show the health of a deployment',
    command: `mcp status ${id || '<deployment id>'} --health`,
  }
}

/** Chat id of `/api/chat-messages/chat/id/{chatId}` or `/api/chats/{chatId}`. */
function chatOf(steps: string[]): string {
  return (steps[0] === 'chat' ? steps[2] : steps[0]) || '<chat id>'
}

function withoutQuery(path: string): string {
  return path.split('?', 1)[0]!
}
