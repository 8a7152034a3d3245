import type { BuildRequest, Handler, HttpHandler, ToolDefinition } from '../definitions.ts'
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
  for (const name of Object.keys(handler.headers ?? {})) {
    const at = `${path}.headers[${JSON.stringify(name)}]`
    if (!HEADER_NAME.test(name)) problems.push({ path: at, message: 'is not a header name' })
    else if (OWN_HEADERS.includes(name.toLowerCase()))
      problems.push({ path: at, message: 'is set by the connection itself' })
  }
  if (handler.body !== undefined && (handler.method === 'GET' || handler.method === 'HEAD'))
    problems.push({
      path: `${path}.body`,
      message: `cannot be sent with ${handler.method}; set "method": "POST"`,
    })
  return problems
}

function checkUrl(path: string, url: string): DefinitionProblem[] {
  if (/^https?:\/\/[^/?#]/i.test(url) && (isTemplate(url) || URL.canParse(url))) return []
  if (/^\s*\{[{%]/.test(url)) return []
  return [
    {
      path,
      message: `${JSON.stringify(url)} is not an http or https URL such as https://api.example.com/cities`,
    },
  ]
}
