import { HostingError, type NextStep } from '../shared/errors.ts'

/** The operations of the service interface, sections 4.1 to 4.11. All others are extensions. */
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

const MISSING = [404, 405, 501]

export interface RefusedRequest {
  status: number
  /** Address of the API. */
  url: string
  method: string
  path: string
  /** The answer has an error of the API's own, so the path exists or the API knows why it does not. */
  isExplained: boolean
}

/** True when the API lacks the operation, false when it lacks what the operation was asked for. */
export function lacksOperation({ status, method, path, isExplained }: RefusedRequest): boolean {
  if (!MISSING.includes(status) || isOfContract(method, path)) return false
  // A path without an id can only be missing as a whole.
  return !isExplained || /^\/(v1|api)\/[\w-]+$/.test(withoutQuery(path))
}

export function isOfContract(method: string, path: string): boolean {
  return CONTRACT.some(operation => operation.test(`${method} ${withoutQuery(path)}`))
}

/** METHOD_NOT_ALLOWED with a next step that an API of the contract alone can do. */
export function missingExtension({ url, method, path }: RefusedRequest, cause?: unknown): HostingError {
  const operation = `${method} ${decodeURIComponent(withoutQuery(path))}`
  return new HostingError('METHOD_NOT_ALLOWED', `${url} does not offer ${operation}.`, {
    details: 'This command needs that operation, which is an extension of the service interface.',
    next: nextSteps(withoutQuery(path)),
    cause,
  })
}

function nextSteps(path: string): NextStep[] {
  const [family = '', id = '', ...rest] = path.split('/').slice(2).map(decodeURIComponent)
  switch (family) {
    case 'deploy':
      return [
        { description: 'See the state of a deployment', command: `mcp status ${id || '<deployment id>'}` },
      ]
    case 'build':
      return [{ description: 'Deploy a build by its id', command: `mcp deploy ${id || '<mcp_id>'}` }]
    case 'metrics':
    case 'lambda-deploy':
      return [healthOf(id)]
    case 'projects':
      return [
        { description: 'Build an image of a project', command: `mcp projects build ${id || '<project id>'}` },
      ]
    case 'lambda-builds':
      return [{ description: 'See the log of a container build', command: `mcp logs ${id || '<build id>'}` }]
    case 'lambda-mapping':
      return [{ description: 'Remove a subdomain', command: `mcp domains remove ${id || '<subdomain>'}` }]
    case 'chats':
    case 'chat-messages':
      return [
        { description: 'Count the messages of a chat', command: `mcp chats count ${chatOf([id, ...rest])}` },
      ]
    case 'model-keys':
      return [
        { description: 'Name a model that the API has a key for', command: 'mcp test --model <model> "…"' },
      ]
    default:
      return [{ description: 'See the key in use and what it may do', command: 'mcp whoami' }]
  }
}

function healthOf(id: string): NextStep {
  return {
    description: 'See the health of a deployment',
    command: `mcp status ${id || '<deployment id>'} --health`,
  }
}

/** Of `/api/chat-messages/chat/id/{chatId}` and of `/api/chats/{chatId}`. */
function chatOf(steps: string[]): string {
  return (steps[0] === 'chat' ? steps[2] : steps[0]) || '<chat id>'
}

function withoutQuery(path: string): string {
  return path.split('?', 1)[0]!
}
