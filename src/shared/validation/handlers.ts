import type { BuildRequest, Handler, HttpHandler, ToolDefinition } from '../definitions/definitions.ts'
import { isTemplate } from '../definitions/liquid.ts'
import { joinPath } from '../json/json-walk.ts'
import { HTTP_TOKEN } from '../names.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'

const ANSWERS = ['text', 'json', 'content'] as const
/** Message framing and connection headers. */
const CONNECTION_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

export function findHandlerProblems({
  tools = [],
  resources = [],
  prompts = [],
  source,
}: BuildRequest): DefinitionProblem[] {
  const check = (path: string, handler: Handler | undefined) =>
    checkHandler(path, handler, source !== undefined)
  return [
    ...tools.flatMap((tool, index) => [
      ...check(`tools[${index}].handler`, tool.handler),
      ...checkStructured(`tools[${index}]`, tool),
    ]),
    ...resources.flatMap(({ handler }, index) => check(`resources[${index}].handler`, handler)),
    ...prompts.flatMap(({ handler }, index) => check(`prompts[${index}].handler`, handler)),
  ]
}

function checkHandler(path: string, handler: Handler | undefined, hasSource: boolean): DefinitionProblem[] {
  switch (handler?.type) {
    case 'template':
      return checkAnswer(path, handler)
    case 'http':
      return [...checkHttp(path, handler), ...checkAnswer(`${path}.result`, handler.result)]
    case 'module':
      if (hasSource) return []
      return problem(path, 'needs "source", the id of the uploaded archive that contains the module')
    default:
      return []
  }
}

function checkAnswer(path: string, answer: object | undefined): DefinitionProblem[] {
  if (!answer) return []
  const given = ANSWERS.filter(name => name in answer)
  if (given.length === 1) return []
  const found = given.length === 0 ? 'has none' : `has ${given.map(name => `"${name}"`).join(' and ')}`
  return problem(path, `must have exactly one of "text", "json" and "content"; it ${found}`)
}

/** Rejects content blocks in tools with an output schema, because the schema cannot describe them. */
function checkStructured(path: string, { handler, outputSchema }: ToolDefinition): DefinitionProblem[] {
  if (!outputSchema) return []
  const answer =
    handler?.type === 'http' ? handler.result : handler?.type === 'template' ? handler : undefined
  if (!answer?.content) return []
  return problem(
    `${path}.handler`,
    'answers with "content", but the tool declares an outputSchema; use "json"',
  )
}

function checkHttp(path: string, handler: HttpHandler): DefinitionProblem[] {
  const problems = checkUrl(`${path}.url`, handler.url)
  problems.push(...checkHeaders(`${path}.headers`, handler.headers))
  if (handler.body !== undefined && (handler.method === 'GET' || handler.method === 'HEAD'))
    problems.push({
      path: `${path}.body`,
      message: `cannot be sent with ${handler.method}; set "method": "POST"`,
    })
  return problems
}

function checkHeaders(path: string, headers: Record<string, string> = {}): DefinitionProblem[] {
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = seen.has(name.toLowerCase())
      ? 'is a duplicate; header names are case-insensitive'
      : headerFault(name, value)
    seen.add(name.toLowerCase())
    return message ? problem(joinPath(path, name), message) : []
  })
}

function headerFault(name: string, value: string): string | undefined {
  if (!HTTP_TOKEN.test(name)) return 'is not a valid header name'
  if (CONNECTION_HEADERS.includes(name.toLowerCase())) return 'cannot be set; the HTTP client sets it'
  // Rendered values are checked when the request is sent.
  if (!isTemplate(value) && /[^\P{Cc}\t]/u.test(value))
    return 'contains a line break or another control character'
  return undefined
}

function checkUrl(path: string, url: string): DefinitionProblem[] {
  if (/^https?:\/\/[^/?#]/i.test(url) && (isTemplate(url) || URL.canParse(url)))
    return checkSecrets(path, url)
  if (/^\s*\{[{%]/.test(url)) return []
  return problem(
    path,
    `${JSON.stringify(url)} is not an http or https URL such as https://api.example.com/cities`,
  )
}

/** Rejects credentials in a URL, as undici and fetch do, because URLs end up in logs. */
function checkSecrets(path: string, url: string): DefinitionProblem[] {
  if (!/^https?:\/\/[^/?#]*@/i.test(url)) return []
  return problem(path, 'contains a user name or password; send it in a header that reads "env"')
}
