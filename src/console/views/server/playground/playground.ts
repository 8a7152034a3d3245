import { type Signal, signal } from '@preact/signals'
import type { StoreEnvironment } from '../../../../shared/contract/states.ts'
import { type Catalog, type Entry, loadCatalog } from '../../../mcp/catalog.ts'
import { connect, type Era, type McpConnection } from '../../../mcp/connection.ts'
import { argumentSchema, requestFor } from '../../../mcp/entry-request.ts'
import { isObject, type Params } from '../../../mcp/messages.ts'
import { createForm, type Form } from '../../../schema-form/main.ts'
import { type Call, recentCalls, refusalOf, startCall } from './call.ts'

export interface Connected {
  connection: McpConnection
  catalog: Catalog
}

/** A server in one environment, with the newest calls since the page was loaded. */
export class Playground {
  readonly connected: Signal<Connected | undefined> = signal(undefined)
  readonly error: Signal<Error | undefined> = signal(undefined)
  /** Newest first. */
  readonly calls: Signal<readonly Call[]> = signal([])
  /** Call that the view shows. */
  readonly chosen: Signal<Call | undefined> = signal(undefined)
  /** Era that the user chose. Undefined for the newest era that the server speaks. */
  readonly era: Signal<Era | undefined> = signal(undefined)
  /** What the environment serves: `v3`, or the id of a build in the preview. */
  readonly served: Signal<string | undefined> = signal(undefined)
  readonly #path: string
  readonly #forms = new Map<string, { form: Form; schema: string }>()
  #token: string | undefined
  #attempt = new AbortController()
  /** Id and status of the deployment or build that the view showed last. */
  release: string | undefined
  #isShown = false

  constructor(name: string, environment: StoreEnvironment) {
    this.#path = `/api/servers/${encodeURIComponent(name)}/mcp/${environment}`
  }

  /** Connects when the view opens. A connection in the legacy era is a session, which ends when the view closes. */
  show(): () => void {
    this.#isShown = true
    if (!this.connected.peek()) void this.connect()
    return () => {
      this.#isShown = false
      this.#closeUnused()
    }
  }

  /** Connects again, for example after a release. Entries are kept until the new ones have loaded. */
  async connect(): Promise<void> {
    this.#attempt.abort()
    const attempt = new AbortController()
    this.#attempt = attempt
    this.error.value = undefined
    let connection: McpConnection | undefined
    try {
      const endpoint = { path: this.#path, token: this.#token }
      connection = await connect(endpoint, { era: this.era.peek(), signal: attempt.signal })
      const catalog = await loadCatalog(connection, attempt.signal)
      this.connected.peek()?.connection.close()
      this.connected.value = { connection, catalog }
    } catch (error) {
      connection?.close()
      if (!attempt.signal.aborted) this.error.value = error as Error
    }
  }

  /** Connects with a token from the server's own sign-in. The token is kept only in the memory of the page. */
  signIn(token: string): Promise<void> {
    this.#token = token
    return this.connect()
  }

  chooseEra(era: Era | undefined): void {
    this.era.value = era
    void this.connect()
  }

  /** Sends the request for an entry, and shows errors from the server about invalid arguments in the form of the entry. */
  run(entry: Entry, args: Params): void {
    const { call, ended } = this.#start({ entry, args, byApp: undefined })
    this.chosen.value = call
    void ended.then(() => this.#placeErrors(call))
  }

  /** Sends a request from a tool's app. The call is listed, but does not replace the call that is shown. */
  runForApp(entry: Entry, args: Params, byApp: string): { call: Call; ended: Promise<void> } {
    return this.#start({ entry, args, byApp })
  }

  #start(facts: Pick<Call, 'entry' | 'args' | 'byApp'>): { call: Call; ended: Promise<void> } {
    const { connection } = this.connected.peek()!
    const sent = requestFor(facts.entry, facts.args)
    const { call, ended } = startCall(connection, sent, { ...facts, served: this.served.peek() })
    this.calls.value = [call, ...this.calls.peek()]
    const settled = ended.then(() => {
      this.calls.value = recentCalls(this.calls.peek())
      this.#closeUnused()
    })
    return { call, ended: settled }
  }

  /** Errors that name no field are shown with the result. */
  #placeErrors({ entry, outcome }: Call): void {
    const refusal = refusalOf(outcome.peek())
    const form = refusal === undefined ? undefined : this.formOf(entry)
    if (!form) return
    form.reportErrors(refusal!)
    form.serverErrors.value = { placed: form.serverErrors.peek().placed }
  }

  /** Values that the server offers for an argument of a prompt or a template. */
  async complete(entry: Entry, name: string, value: string, others: Params): Promise<readonly string[]> {
    const { connection } = this.connected.peek()!
    const params = {
      ref:
        entry.kind === 'prompt'
          ? { type: 'ref/prompt', name: entry.id }
          : { type: 'ref/resource', uri: entry.id },
      argument: { name, value },
      context: { arguments: others },
    }
    const result = await connection
      .request({ method: 'completion/complete', params, signal: this.#attempt.signal })
      // A form also works without suggestions.
      .catch(() => ({}) as Params)
    const values = isObject(result.completion) ? result.completion.values : undefined
    return Array.isArray(values) ? values.filter(one => typeof one === 'string') : []
  }

  /** The form of an entry keeps what was typed while other entries are shown. Undefined for a resource. */
  formOf(entry: Entry): Form | undefined {
    const schema = argumentSchema(entry)
    if (schema === undefined) return undefined
    const key = `${entry.kind} ${entry.id}`
    const text = JSON.stringify(schema)
    const known = this.#forms.get(key)
    if (known?.schema === text) return known.form
    const form = createForm(schema)
    this.#forms.set(key, { form, schema: text })
    return form
  }

  #closeUnused(): void {
    const isRunning = this.calls.peek().some(({ outcome }) => outcome.peek().status === 'running')
    if (this.#isShown || isRunning) return
    this.close()
  }

  close(): void {
    this.#attempt.abort()
    this.connected.peek()?.connection.close()
    this.connected.value = undefined
  }
}

const playgrounds = new Map<string, Playground>()

/** Returns the same playground for as long as the page is open. */
export function playgroundOf(name: string, environment: StoreEnvironment): Playground {
  const key = `${environment} ${name}`
  const known = playgrounds.get(key)
  if (known) return known
  const created = new Playground(name, environment)
  playgrounds.set(key, created)
  return created
}

addEventListener('pagehide', () => {
  for (const playground of playgrounds.values()) playground.close()
})
