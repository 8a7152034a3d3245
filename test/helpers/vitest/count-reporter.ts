import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with a machine-readable line, `N passed, N failed`. Skipped tests are neither. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    let failed = unhandledErrors.length
    for (const module of modules) {
      // A failed hook of a file or a suite skips its tests.
      for (const suite of [module, ...module.children.allSuites()]) failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed++
        // A pending test did not run because its worker stopped.
        else if (state !== 'skipped') failed++
      }
    }
    process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`))
  }
}
