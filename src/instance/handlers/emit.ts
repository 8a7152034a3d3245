import { setTimeout as wait } from 'node:timers/promises'
import type { EmitStep } from '../../shared/definitions/definitions.ts'
import type { CallContext } from '../server/client-context.ts'
import type { Handler } from './handler.ts'
import type { Templates } from './load.ts'
import type { Rendering } from './templates/rendering.ts'

type Step = (rendering: Rendering, call: CallContext) => undefined | Promise<void>

/** Sends the steps to the client in order, then answers. Stops when the call is cancelled. */
export function withEmit(steps: EmitStep[] | undefined, handler: Handler, templates: Templates): Handler {
  if (!steps?.length) return handler
  const compiled = steps.map(step => compileStep(step, templates))
  return async (scope, call) => {
    const rendering = new templates.Rendering(scope)
    for (const step of compiled) {
      await step(rendering, call)
      call.signal.throwIfAborted()
    }
    return handler(scope, call)
  }
}

function compileStep(step: EmitStep, templates: Templates): Step {
  if ('waitMs' in step) return (_rendering, { signal }) => wait(step.waitMs, undefined, { signal })
  if ('log' in step) {
    const { level, logger } = step.log
    const message = templates.compileText(step.log.message)
    return (rendering, call) => void call.log(level, message(rendering), logger)
  }
  const { progress, total } = step.progress
  const message =
    step.progress.message === undefined ? undefined : templates.compileText(step.progress.message)
  return (rendering, call) => void call.progress(progress, total, message?.(rendering))
}
