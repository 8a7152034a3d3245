import type { NewSuiteRun, TranscriptEntry } from '../../shared/contract/projects/suite-runs.ts'
import type { TestResult, ToolCallRecord } from '../../shared/contract/projects/test-results.ts'
import type { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { TestTarget } from '../targets/test-target.ts'
import type { RunOutcome, SuiteOutcome } from './outcome.ts'

/** Characters of one text in a transcript. */
const MAX_TEXT = 4000
/** The API takes bodies of up to a mebibyte. */
const MAX_BYTES = 1_000_000

/** A message of a case, and the agent's result. Undefined when the run failed before. */
export interface Exchange {
  message: string
  result: TestResult | undefined
}

/** Keeps the conversations of a suite until its results are stored through the API. */
export class SuiteRecorder {
  readonly #transcripts = new Map<RunOutcome, TranscriptEntry[]>()

  keep(run: RunOutcome, exchanges: readonly Exchange[]): void {
    this.#transcripts.set(run, exchanges.flatMap(transcriptOf))
  }

  /** Stores the run. The suite has its verdict already, so a failure is only a warning. */
  async store({ api, output }: CommandContext, target: TestTarget, outcome: SuiteOutcome): Promise<void> {
    try {
      await (await api()).post('/api/suite-runs', this.#recordWithinLimit(target, outcome))
    } catch (error) {
      const { code, message } = error as HostingError
      if (code === 'METHOD_NOT_ALLOWED') return output.trace('the API stores no runs of suites')
      output.warn(`The run was not stored: ${message}`)
    }
  }

  /** Omits the transcripts of passed runs, then all transcripts, if the suite run would be too large. */
  #recordWithinLimit(target: TestTarget, outcome: SuiteOutcome): NewSuiteRun {
    for (const keeps of [() => true, ({ status }: RunOutcome) => status !== 'passed']) {
      const record = this.#record(target, outcome, keeps)
      if (Buffer.byteLength(JSON.stringify(record)) <= MAX_BYTES) return record
    }
    return this.#record(target, outcome, () => false)
  }

  #record(
    { mcpId, deploymentId }: TestTarget,
    outcome: SuiteOutcome,
    keepsTranscript: (run: RunOutcome) => boolean,
  ): NewSuiteRun {
    const { name, models, status, passed, failed, errors, success_rate, threshold, seconds, usage, cost } =
      outcome
    return {
      mcpId,
      ...(deploymentId !== undefined && { deploymentId }),
      suite: name,
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
      cases: outcome.cases.map(one => ({
        name: one.name,
        model: one.model,
        status: one.status,
        passRate: one.pass_rate,
        threshold: one.threshold,
        runs: one.runs.map(run => this.#runRecord(run, keepsTranscript(run))),
      })),
    }
  }

  #runRecord(run: RunOutcome, withTranscript: boolean): NewSuiteRun['cases'][number]['runs'][number] {
    const { status, failures, error, model, reply, seconds, usage, cost, chat_id } = run
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

/** Limits text to MAX_TEXT characters without splitting one. */
function truncate(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT).toWellFormed() : text
}
