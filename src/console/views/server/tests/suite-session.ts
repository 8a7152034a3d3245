import { signal } from '@preact/signals'
import type { StoreEnvironment } from '../../../../shared/contract/states.ts'
import type { SuiteRunCase } from '../../../../shared/contract/testing/suite-runs.ts'
import type { TestResult } from '../../../../shared/contract/testing/test-results.ts'
import type { TestRequest } from '../../../../shared/contract/testing/test-runs.ts'
import { counted } from '../../../../shared/counted.ts'
import type { Suite } from '../../../../shared/definitions/test-suite.ts'
import { judgeSuite } from '../../../../shared/suite/judge-suite.ts'
import { planSuite } from '../../../../shared/suite/plan.ts'
import { LIST_PRICES } from '../../../../shared/suite/prices.ts'
import type { SuiteTarget } from '../../../../shared/suite/suite-recorder.ts'
import { request } from '../../../api/client.ts'
import { notify } from '../../../components/notices.tsx'
import { toError } from '../../chat/session.ts'

interface SessionInput {
  suite: Suite
  target: SuiteTarget
  environment: StoreEnvironment
}

/** Suites that run in this page, by server. They continue while other views are shown. */
export const suiteSessions = signal<ReadonlyMap<string, SuiteSession>>(new Map())

/** Runs a suite and stores the run. Does nothing while this page runs another suite against the same server. */
export function startSuite(input: SessionInput): void {
  if (suiteSessions.peek().has(input.target.name)) return
  const session = new SuiteSession(input)
  change(sessions => sessions.set(input.target.name, session))
  void session.run()
}

export class SuiteSession {
  readonly suite: Suite
  readonly environment: StoreEnvironment
  /** Number of cases times models. */
  readonly total: number
  /** Finished cases. */
  readonly cases = signal<readonly SuiteRunCase[]>([])
  /** Why the run was not stored. */
  readonly error = signal<Error | undefined>(undefined)
  readonly #target: SuiteTarget
  readonly #controller = new AbortController()

  constructor({ suite, target, environment }: SessionInput) {
    this.suite = suite
    this.environment = environment
    this.total = planSuite(suite).length
    this.#target = target
  }

  /** Never throws. The session remains with its error if the run was not stored. */
  async run(): Promise<void> {
    try {
      const { passed, total } = await this.#judgeAndStore()
      notify(`${passed} of ${counted(total, 'case')} passed.`)
      this.remove()
    } catch (error) {
      if (!this.#controller.signal.aborted) this.error.value = error as Error
    }
  }

  /** A run that is stopped is not stored. */
  stop(): void {
    this.#controller.abort()
    this.remove()
  }

  remove(): void {
    change(sessions => sessions.delete(this.#target.name))
  }

  async #judgeAndStore(): Promise<{ passed: number; total: number }> {
    const { outcome, record } = await judgeSuite({
      suite: this.suite,
      target: this.#target,
      prices: LIST_PRICES,
      // Never called, because suites that check JSON Schemas do not run in the page.
      check: () => null,
      concurrency: 1,
      signal: this.#controller.signal,
      send: body => this.#send(body),
      onCase: (_, one) => {
        this.cases.value = [...this.cases.peek(), one]
      },
    })
    await request('POST', '/api/suite-runs', { body: record, signal: this.#controller.signal })
    return { passed: outcome.passed, total: outcome.cases.length }
  }

  async #send(body: TestRequest): Promise<TestResult> {
    try {
      return await request<TestResult>('POST', '/v1/test', { body, signal: this.#controller.signal })
    } catch (error) {
      throw toError(error)
    }
  }
}

function change(apply: (sessions: Map<string, SuiteSession>) => unknown): void {
  const sessions = new Map(suiteSessions.peek())
  apply(sessions)
  suiteSessions.value = sessions
  // The browser asks before it closes a page with a running suite.
  window.onbeforeunload = sessions.size > 0 ? event => event.preventDefault() : null
}
