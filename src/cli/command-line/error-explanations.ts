import type { ErrorCode, NextStep } from '../../shared/errors.ts'
import { EXIT } from './exit-codes.ts'

/** Meaning of an error code, for `mcp explain` and docs/cli.md. */
export interface ErrorExplanation {
  /** Without a full stop. */
  meaning: string
  /** Usual causes, without full stops. */
  causes: readonly string[]
  next: readonly NextStep[]
}

const READ_MESSAGE = {
  description: 'Read the message, which names the field, its value and the expected value',
}
const SHOW_API = { description: 'Show the API and key in use', command: 'mcp context show' }
const SHOW_DAEMON_LOG = { description: 'Search the daemon log', command: 'mcp daemon logs' }

export const ERROR_EXPLANATIONS: Readonly<Record<ErrorCode, ErrorExplanation>> = {
  INVALID_JSON: {
    meaning: 'the body of a request is not valid JSON',
    causes: ['a script that builds JSON from text', 'text that is not UTF-8, or nesting that is too deep'],
    next: [READ_MESSAGE],
  },
  INVALID_REQUEST: {
    meaning: 'an option, an argument or a field of a request is missing or invalid',
    causes: ['a typo', 'a value of the wrong type', 'a question that could not be asked without a terminal'],
    next: [READ_MESSAGE, { description: 'Show the usage of a command', command: 'mcp help all' }],
  },
  INVALID_MCP: {
    meaning: 'the project file or the code of a server is invalid',
    causes: [
      'a mistake in a tool, resource, prompt or handler',
      'code that cannot be bundled or does not load',
      'a command that exits instead of serving MCP',
    ],
    next: [
      { description: 'Correct the mistake that the message describes, with line and column if known' },
      { description: 'Check the project without building it', command: 'mcp build --check' },
    ],
  },
  UNAUTHORIZED: {
    meaning: 'the API or the server requires sign-in or a valid key',
    causes: ['no key', 'an expired or revoked key', 'a key for another API'],
    next: [{ description: 'Sign in', command: 'mcp login' }, SHOW_API],
  },
  FORBIDDEN: {
    meaning: 'the request comes from a web page, or uses a host name that the daemon does not accept',
    causes: ['a proxy that sends a different Host header', 'a web page that calls the API of the daemon'],
    next: [{ description: 'Send requests to 127.0.0.1 or localhost' }],
  },
  INSUFFICIENT_SCOPE: {
    meaning: 'the key is valid but does not permit this',
    causes: ['a key that was created without the required scope'],
    next: [{ description: 'Show the permissions of the key', command: 'mcp whoami' }],
  },
  NOT_FOUND: {
    meaning: 'the named server, deployment, build or file does not exist',
    causes: ['a typo', 'a removed server', 'the wrong API or context'],
    next: [{ description: 'List servers', command: 'mcp list' }, SHOW_API],
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'the API does not offer this operation',
    causes: ['a hosted API without the extensions of the local daemon', 'an older daemon'],
    next: [SHOW_API, { description: 'Upgrade the local daemon', command: 'mcp daemon upgrade' }],
  },
  CONFLICT: {
    meaning: 'the current state of a server, deployment or name does not allow this',
    causes: [
      'a name or subdomain in use',
      'a deployment that is stopped, starting or failed',
      'another operation that is still running',
    ],
    next: [{ description: 'Show the state of all deployments', command: 'mcp status' }],
  },
  NO_SOURCE: {
    meaning: 'the project has no source to build',
    causes: ['nothing was uploaded', 'the uploaded source was deleted from its storage'],
    next: [{ description: 'Upload the source', command: 'mcp projects upload' }],
  },
  NOT_RECORDED: {
    meaning: 'a replayed test asks for something that was not recorded',
    causes: ['the server or the suite changed since the recording'],
    next: [{ description: 'Make a new recording', command: 'mcp test --suite FILE --record FILE' }],
  },
  PRECONDITION_FAILED: {
    meaning: 'a record has changed since it was read',
    causes: ['another client changed it', 'an If-Match header with an earlier version'],
    next: [{ description: 'Read the record again and repeat the change' }],
  },
  IDEMPOTENCY_MISMATCH: {
    meaning: 'an Idempotency-Key was used for two different requests',
    causes: ['a script that uses one key for several requests'],
    next: [{ description: 'Send a new key with each request' }],
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'a request, an archive or a stored value is larger than allowed',
    causes: ['a source with large files that are not ignored', 'a full store'],
    next: [{ description: 'Stay below the limit that the message names' }],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'the body of a request has the wrong content type',
    causes: ['a missing Content-Type header'],
    next: [{ description: 'Send the content type that the message names' }],
  },
  RATE_LIMITED: {
    meaning: 'the key has used up the hourly requests of its plan',
    causes: ['a loop in a script'],
    next: [{ description: 'Try again after the time that the message names' }],
  },
  CANCELLED: {
    meaning: 'the command was stopped before it finished',
    causes: ['Ctrl-C', 'a question answered with no', 'a server that was stopped during a call'],
    next: [{ description: 'Run the command again' }],
  },
  TIMEOUT: {
    meaning: 'something took longer than allowed',
    causes: ['a slow server, download or model', 'a server that hangs'],
    next: [
      { description: 'Wait longer, for example with --timeout 10m' },
      { description: 'Show the log of the server', command: 'mcp logs' },
    ],
  },
  INTERRUPTED: {
    meaning: 'the daemon stopped before it finished the work',
    causes: ['mcp daemon stop, restart or upgrade', 'a machine shutdown'],
    next: [{ description: 'Run the command again' }],
  },
  INTERNAL: {
    meaning: 'a bug in mcp or in the daemon',
    causes: ['an unexpected error, whose details are in the daemon log'],
    next: [SHOW_DAEMON_LOG, { description: 'Run the command again with --debug for a stack trace' }],
  },
  UPSTREAM_FAILED: {
    meaning: 'something that the daemon depends on failed',
    causes: ['a server that crashes when it starts', 'a package or image registry', "a model vendor's API"],
    next: [{ description: 'Show the log of the server', command: 'mcp logs' }],
  },
  UNAVAILABLE: {
    meaning: 'the daemon, the API or the server is unreachable or temporarily unavailable',
    causes: ['a daemon that is not running', 'a wrong API URL', 'a full disk', 'a missing container engine'],
    next: [{ description: 'Check the installation', command: 'mcp doctor' }, SHOW_API],
  },
}

/** Explanations by exit code, for `mcp explain` and docs/cli.md. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.done]: 'done',
  [EXIT.failed]: 'the work failed: a build, a deployment, a tool that reported an error',
  [EXIT.usage]: 'wrong usage, or an invalid project file',
  [EXIT.notAllowed]: 'not signed in, or not allowed',
  [EXIT.notFound]: 'not found',
  [EXIT.conflict]: 'conflict',
  [EXIT.rateLimited]: 'rate limited',
  [EXIT.unreachable]: 'daemon, API or server unreachable, or something they depend on failed',
  [EXIT.timedOut]: 'timed out',
  [EXIT.bug]: 'internal error in mcp',
  [EXIT.interrupted]: 'interrupted with Ctrl-C, which also ends logs -f',
}
