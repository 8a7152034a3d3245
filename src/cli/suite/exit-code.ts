import type { SuiteOutcome } from '../../shared/suite/outcome.ts'
import { EXIT, EXIT_CODE_OF, type ExitCode } from '../command-line/exit-codes.ts'

/** Exit code 1 is for failed expectations only. */
export function exitCodeOf({ status, cases }: SuiteOutcome): ExitCode {
  if (status === 'passed') return EXIT.done
  if (status === 'failed') return EXIT.failed
  const code = cases.flatMap(({ runs }) => runs).find(({ error }) => error !== null)?.error?.code
  const exit = EXIT_CODE_OF[code as keyof typeof EXIT_CODE_OF] ?? EXIT.unreachable
  return exit === EXIT.failed ? EXIT.unreachable : exit
}
