import type { Check } from '../../shared/check.ts'
import { FILE_CHECKS } from './file-checks.ts'
import { HOME_CHECKS } from './home-checks.ts'
import { ISOLATION_CHECKS } from './isolation-checks.ts'
import type { MachineContext } from './machine-context.ts'
import { checkPlatform } from './platform-check.ts'

/** Checks of the machine and the home, for `mcp doctor` and GET /api/daemon/checks. */
export const MACHINE_CHECKS: readonly Check<MachineContext>[] = [
  { name: 'platform', run: () => [checkPlatform()] },
  ...HOME_CHECKS,
  ...FILE_CHECKS,
  ...ISOLATION_CHECKS,
]
