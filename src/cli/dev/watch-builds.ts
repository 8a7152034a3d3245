import { formatDurationMs } from '../../shared/duration.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { countsToText } from '../output/counts.ts'
import { BuildLoop, type BuildLoopOptions, type Outcome } from './build-loop.ts'
import { FolderWatcher } from './watch-folder.ts'

/** `mcp build --watch`: rebuilds on every change until Ctrl-C and keeps every build. */
export async function watchBuilds(
  context: CommandContext,
  directory: string,
  open: BuildLoopOptions['open'],
): Promise<ExitCode> {
  const ended = Promise.withResolvers<ExitCode>()
  const loop = new BuildLoop(context, { open, onOutcome: outcome => report(context, outcome) })
  const build = (change = {}) => void loop.build(change).catch(ended.reject)
  const watcher = new FolderWatcher(directory, build)
  context.signal.addEventListener('abort', () => ended.resolve(EXIT.interrupted), { once: true })
  try {
    build()
    return await ended.promise
  } finally {
    watcher.close()
  }
}

async function report({ output }: CommandContext, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'same') return
  const ms = Math.round(outcome.ms)
  if (outcome.kind === 'built') {
    const { record } = outcome
    return output.entry(
      { event: 'built', ms, ...record },
      () =>
        `Built ${record.name} in ${formatDurationMs(ms)}: ${countsToText(record)}  ${output.style.dim(record.mcp_id)}`,
    )
  }
  if (output.json) return output.entry({ event: 'failed', ms, error: outcome.error.toBody() }, () => '')
  await output.error(outcome.error)
}
