import type { StepResult, ToolSet } from 'ai'
import type { TestEvent } from '../../shared/contract/testing/test-results.ts'
import type { CallLedger } from './calls/call-ledger.ts'

export type Step = StepResult<ToolSet>

export interface Progress {
  /** Finished turns. */
  steps: Step[]
  /** Text of the current turn. Text that accompanies calls is not the answer. */
  text: string
  /** `performance.now()` at the start of the pending request. */
  askedMs: number | undefined
}

type Parts = ReturnType<typeof import('ai').streamText>['stream']

/** Reads a run's stream to the end and reports its text. Throws errors from the stream. */
export async function followStream(
  parts: Parts,
  progress: Progress,
  ledger: CallLedger,
  onEvent: (event: TestEvent) => void,
): Promise<'end' | 'abort'> {
  for await (const part of parts) {
    switch (part.type) {
      case 'start-step':
        progress.text = ''
        progress.askedMs = performance.now()
        break
      // Comes after the results of the calls. `start-step` comes with the first part of the next answer, if there is one.
      case 'finish-step':
        progress.askedMs = performance.now()
        break
      case 'text-delta':
        progress.text += part.text
        progress.askedMs = undefined
        onEvent({ type: 'text', text: part.text })
        break
      case 'reasoning-delta':
      case 'tool-input-start':
      case 'tool-call':
        progress.askedMs = undefined
        break
      case 'tool-error':
        // The tool is unknown or the JSON is invalid, so no call was made. The model gets the error.
        if (!ledger.has(part.toolCallId))
          ledger.reject(
            { id: part.toolCallId, name: part.toolName, arguments: part.input },
            part.error instanceof Error ? part.error.message : String(part.error),
          )
        break
      case 'abort':
        return 'abort'
      case 'error':
        throw part.error
    }
  }
  return 'end'
}
