import type { StepResult, ToolSet } from 'ai'
import type { TestEvent } from '../../shared/test-results.ts'
import type { CallLedger } from './call-ledger.ts'

export type Step = StepResult<ToolSet>

/** How far a run has come. */
export interface Progress {
  /** Turns that are over. */
  steps: Step[]
  /** Of the turn that answers: what a model says beside its calls is no answer. */
  text: string
  /** `performance.now()` when the model was asked what it has said nothing to yet; undefined when it has. */
  askedMs: number | undefined
}

type Parts = ReturnType<typeof import('ai').streamText>['stream']

/** Reads a run to its end and tells of it. Throws what the stream tells as an error. */
export async function followStream(
  parts: Parts,
  progress: Progress,
  ledger: CallLedger,
  tell: (event: TestEvent) => void,
): Promise<'end' | 'abort'> {
  for await (const part of parts) {
    switch (part.type) {
      case 'start-step':
        progress.text = ''
        progress.askedMs = performance.now()
        break
      case 'text-delta':
        progress.text += part.text
        progress.askedMs = undefined
        tell({ type: 'text', text: part.text })
        break
      case 'reasoning-delta':
      case 'tool-input-start':
      case 'tool-call':
        progress.askedMs = undefined
        break
      case 'tool-error':
        // Unknown tools and arguments that are no JSON: the model is told, and no call was made.
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
