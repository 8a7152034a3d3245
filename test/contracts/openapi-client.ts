import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import type { ApiAnswer, ApiInput, TestDaemon } from '../helpers/daemon/daemon.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document has no static type
type Json = any

export interface Operation {
  method: string
  path: string
  spec: Json
}

/** Calls the API and checks every response against the description that the API serves. */
export class OpenApiClient {
  readonly document: Json
  readonly operations: Operation[]
  /** `createBuild 201` → name of the test for this status, or of the first test that saw it. */
  readonly seen = new Map<string, string>()
  readonly #daemon: TestDaemon
  readonly #ajv: Ajv2020

  constructor(daemon: TestDaemon, document: Json) {
    this.#daemon = daemon
    this.document = document
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    ;(addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv)
    this.#ajv.addSchema(close(document), 'openapi.json')
    this.operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, spec]) => ({ method: method.toUpperCase(), path, spec })),
    )
  }

  static async open(daemon: TestDaemon): Promise<OpenApiClient> {
    const { body } = await daemon.api('GET', '/openapi.json', { key: null })
    return new OpenApiClient(daemon, body)
  }

  operation(operationId: string): Operation {
    const found = this.operations.find(({ spec }) => spec.operationId === operationId)
    if (!found) throw new Error(`no operation ${operationId}`)
    return found
  }

  /** Sends a request for an operation and checks status, headers and body of the response. */
  async call(
    operationId: string,
    params: Record<string, string> = {},
    input: ApiInput & { query?: string } = {},
  ): Promise<ApiAnswer> {
    const { method, path } = this.operation(operationId)
    const target = path.replace(
      /\{(\w+)\}/g,
      (_, name: string) => params[name] ?? (name === 'environment' ? 'staging' : 'none'),
    )
    const answer = await this.#daemon.api(method, target + (input.query ? `?${input.query}` : ''), input)
    this.check(operationId, answer)
    return answer
  }

  /** Checks the response to a request that was sent without `call`. */
  check(operationId: string, answer: ApiAnswer): void {
    const { spec } = this.operation(operationId)
    const label = `${operationId} ${answer.status}`
    const described = this.#resolve(spec.responses[answer.status])
    expect(described, `${label} is described; it was ${answer.text}`).toBeDefined()
    for (const [name, reference] of Object.entries<Json>(described.headers)) {
      const header = this.#resolve(reference)
      const value = answer.headers[name.toLowerCase()]
      if (header.required) expect(value, `${label} carries ${name}`).toBeDefined()
      else if (value === undefined) continue
      if (header.schema.type === 'integer') expect(value, `${label} ${name}`).toMatch(/^\d+$/)
    }
    const isFile = described.content && !('application/json' in described.content)
    if (isFile) expect(Object.keys(described.content)).toContain(mediaType(answer))
    else this.#checkBody(label, answer, described.content?.['application/json'])
    const title = expect.getState().currentTestName!.split(' > ').at(-1)!
    const test = title.replace(/^returns (?=\d{3} )/, '')
    if (!this.seen.has(label) || test.startsWith(String(answer.status))) this.seen.set(label, test)
  }

  #checkBody(label: string, answer: ApiAnswer, content: Json): void {
    if (!content) return expect(answer.text, `${label} has no body`).toBe('')
    expect(content.schema.$ref, `${label} has a named schema`).toBeDefined()
    const validate = this.#ajv.getSchema(`openapi.json${content.schema.$ref}`)!
    expect(validate(answer.body) ? [] : validate.errors, `${label}: ${answer.text}`).toEqual([])
  }

  #resolve(node: Json): Json {
    if (!node?.$ref) return node
    const steps = node.$ref.slice(2).split('/') as string[]
    return steps.reduce((at, step) => at[step], this.document)
  }
}

function mediaType({ headers }: ApiAnswer): string | undefined {
  return headers['content-type']?.split(';')[0]
}

/** Forbids unknown fields, so that undocumented fields fail the check. Other clients accept them. */
function close(node: Json): Json {
  if (Array.isArray(node)) return node.map(close)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    /^examples?$/.test(key) ? value : close(value),
  ])
  const isOpen =
    typeof node.properties === 'object' && node.type === 'object' && !('additionalProperties' in node)
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) }
}
