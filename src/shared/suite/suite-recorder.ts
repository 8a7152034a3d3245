import type { NewSuiteRun, SuiteRunCase, TranscriptEntry } from '../contract/testing/suite-runs.ts'
import type { TestResult, ToolCallRecord } from '../contract/testing/test-results.ts'
import type { Suite } from '../definitions/test-suite.ts'
import type { CaseOutcome, RunOutcome, SuiteOutcome } from './outcome.ts'

/** Maximum number of characters of one text in a transcript. */
const MAX_TEXT = 4000
/** The API accepts bodies of up to 1 MiB. */
const MAX_BYTES = 1_000_000

/** A message of a case, and the agent's result. The result is undefined when the run failed before it arrived. */
export interface Exchange {
  message: string
  result: TestResult | undefined
}

export interface SuiteTarget {
  mcpId: string
  /** Name of the server. */
  name: string
  /** Deployment that the caller named instead of a build. */
  deploymentId?: string | undefined
}

interface RecordParts {
  target: SuiteTarget
  definition?: Suite
  outcome: SuiteOutcome
}

const encoder = new TextEncoder()
const keepAll = (_run: RunOutcome) => true

/** Keeps the conversations of a suite until its results are stored through the API. */
export class SuiteRecorder {
  readonly #transcripts = new Map<RunOutcome, TranscriptEntry[]>()

  keep(run: RunOutcome, exchanges: readonly Exchange[]): void {
    this.#transcripts.set(run, exchanges.flatMap(transcriptOf))
  }

  /** The case with its conversations. */
  caseRecord(one: CaseOutcome, keepsTranscript = keepAll): SuiteRunCase {
    return {
      name: one.name,
      model: one.model,
      status: one.status,
      passRate: one.pass_rate,
      threshold: one.threshold,
      runs: one.runs.map(run => this.#runRecord(run, keepsTranscript(run))),
    }
  }

  /**
   * Record of a finished run. Omits the transcripts of passed runs, then all transcripts, then the suite, if it would be too
   * large.
   */
  record(target: SuiteTarget, definition: Suite, outcome: SuiteOutcome): NewSuiteRun {
    const parts = { target, definition, outcome }
    for (const keeps of [keepAll, ({ status }: RunOutcome) => status !== 'passed', () => false]) {
      const record = this.#record(parts, keeps)
      if (encoder.encode(JSON.stringify(record)).length <= MAX_BYTES) return record
    }
    return this.#record({ target, outcome }, () => false)
  }

  #record(
    { target: { mcpId, deploymentId }, definition, outcome }: RecordParts,
    keepsTranscript: (run: RunOutcome) => boolean,
  ): NewSuiteRun {
    const { name, models, status, passed, failed, errors, success_rate, threshold, seconds, usage, cost } =
      outcome
    return {
      mcpId,
      ...(deploymentId !== undefined && { deploymentId }),
      suite: name,
      ...(definition && { definition }),
      models,
      status,
      passed,
      failed,
      errors,
      successRate: success_rate,
      threshold,
      seconds,
      totalTokens: usage.total_tokens,
      cost,
      cases: outcome.cases.map(one => this.caseRecord(one, keepsTranscript)),
    }
  }

  #runRecord(run: RunOutcome, withTranscript: boolean): SuiteRunCase['runs'][number] {
    const { status, failures, error, model, reply, seconds, usage, cost, chat_id, replay } = run
    return {
      status,
      failures: failures.map(truncate),
      error: error && { ...error, message: truncate(error.message), details: truncate(error.details) },
      model,
      reply: truncate(reply),
      seconds,
      usage,
      cost,
      chatId: chat_id,
      ...(replay && { replay: { recordedAt: replay.recorded_at } }),
      transcript: withTranscript ? (this.#transcripts.get(run) ?? []) : [],
    }
  }
}

function transcriptOf({ message, result }: Exchange): TranscriptEntry[] {
  const asked = entry({ role: 'user', text: message })
  if (!result) return [asked]
  const calls = (result.tool_calls ?? []).map(callEntry)
  return [asked, ...calls, entry({ role: 'assistant', text: result.ai_response })]
}

function callEntry({ name, arguments: args, result, error, seconds }: ToolCallRecord): TranscriptEntry {
  const argumentsText = JSON.stringify(args) ?? ''
  return entry({
    role: 'tool',
    tool: name,
    arguments: argumentsText,
    text: textOf(result),
    error,
    seconds,
  })
}

/** Text parts of a result, or the result as JSON. */
function textOf(result: unknown): string {
  const { content } = (result ?? {}) as { content?: { type?: string; text?: string }[] }
  const isText = Array.isArray(content) && content.every(({ type }) => type === 'text')
  return isText ? content.map(({ text }) => text).join('\n') : (JSON.stringify(result) ?? '')
}

function entry(whole: TranscriptEntry): TranscriptEntry {
  const { text, arguments: args, error } = whole
  const isTruncated = [text, args, error].some(one => (one?.length ?? 0) > MAX_TEXT)
  return {
    ...whole,
    text: truncate(text),
    ...(args !== undefined && { arguments: truncate(args) }),
    ...(typeof error === 'string' && { error: truncate(error) }),
    ...(isTruncated && { isTruncated }),
  }
}

/** Limits text to MAX_TEXT characters without splitting a surrogate pair. */
function truncate(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT).toWellFormed() : text
}
