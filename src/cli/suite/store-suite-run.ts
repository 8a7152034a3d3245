import type { NewSuiteRun } from '../../shared/contract/testing/suite-runs.ts'
import type { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'

/** Stores a run. The suite has its verdict already, so a failure to store the run is only a warning. */
export async function storeSuiteRun(
  { api, output }: Pick<CommandContext, 'api' | 'output'>,
  run: NewSuiteRun,
): Promise<void> {
  try {
    await (await api()).post('/api/suite-runs', run)
  } catch (error) {
    const { code, message } = error as HostingError
    if (code === 'METHOD_NOT_ALLOWED') return output.trace('the API does not store suite runs')
    output.warn(`The run was not stored: ${message}`)
  }
}
