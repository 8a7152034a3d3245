import { settings, slowFiles } from './vitest.config.ts'

/**
 * Browsers, other programs and their limits, sandboxed builds, packed images, restored homes: a quarter of the time for 3 % of
 * the tests.
 */
const HEAVY = [
  'test/sdk/oauth/{peers/**,killed-process.test.ts}',
  'test/daemon/backup/**',
  'test/daemon/builder/image/{base,image}.test.ts',
  'test/daemon/gateway/socket-lease.test.ts',
  'test/daemon/services/builds/{,failed-}code-builds.test.ts',
  'test/instance/bridge/program-{limits,processes}.test.ts',
]

/** Unit and in-process tests, for the inner loop: `npm run test:quick`. */
export default settings(['test/{e2e,contracts,clients}/**', ...HEAVY, ...slowFiles])
