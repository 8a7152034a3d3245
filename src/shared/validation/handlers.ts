import type { BuildRequest, Handler, HttpHandler, ToolDefinition } from '../definitions.ts'
import { joinPath } from '../json-walk.ts'
import { isTemplate } from '../liquid.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'

const ANSWERS = ['text', 'json', 'content'] as const
/** RFC 9110 5.6.2 */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** These frame the message or belong to the connection, which are not the definition's to decide. */
const OWN_HEADERS = [
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
      return [{ path, message: 'needs "source": the archive of the code that its path leads into' }]
    default:
      return []
  }
}

function checkAnswer(path: string, answer: object | undefined): DefinitionProblem[] {
  if (!answer) return []
  const given = ANSWERS.filter(name => name in answer)
  if (given.length === 1) return []
  const found = given.length === 0 ? 'has none' : `has ${given.map(name => `"${name}"`).join(' and ')}`
  return [{ path, message: `must have exactly one of "text", "json" and "content"; it ${found}` }]
}

/** Content blocks have no value behind them that an output schema could describe. */
function checkStructured(path: string, { handler, outputSchema }: ToolDefinition): DefinitionProblem[] {
  if (!outputSchema) return []
  const answer =
    handler?.type === 'http' ? handler.result : handler?.type === 'template' ? handler : undefined
  if (!answer?.content) return []
  return [
    {
      path: `${path}.handler`,
      message: 'answers with "content", but its tool declares an outputSchema: take "json"',
    },
  ]
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
      ? 'is there already: the case of a header name does not matter'
      : headerFault(name, value)
    seen.add(name.toLowerCase())
    return message ? [{ path: joinPath(path, name), message }] : []
  })
}

function headerFault(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'is not a header name'
  if (OWN_HEADERS.includes(name.toLowerCase())) return 'is set by the connection itself'
  // What a template renders is checked when it is sent.
  if (!isTemplate(value) && /[^\P{Cc}\t]/u.test(value))
    return 'holds a line break or another control character'
  return undefined
}

function checkUrl(path: string, url: string): DefinitionProblem[] {
  if (/^https?:\/\/[^/?#]/i.test(url) && (isTemplate(url) || URL.canParse(url)))
    return checkSecrets(path, url)
  if (/^\s*\{[{%]/.test(url)) return []
  return [
    {
      path,
      message: `${JSON.stringify(url)} is not an http or https URL such as https://api.example.com/cities`,
    },
  ]
}

/** Undici and fetch refuse them too: they would show up in logs. */
function checkSecrets(path: string, url: string): DefinitionProblem[] {
  if (!/^https?:\/\/[^/?#]*@/i.test(url)) return []
  return [{ path, message: 'holds a user name or password; send it as a header made of "env"' }]
}
