import type { NextStep } from './errors.ts'

/** Result of a check. `fix` is set unless the status is `pass`. */
export interface Finding {
  status: 'pass' | 'warn' | 'fail'
  message: string
  fix?: NextStep
}

export interface NamedFinding extends Finding {
  name: string
}

/** A check of `mcp doctor`. The name of a finding overrides the name of its check. */
export interface Check<Context> {
  name: string
  run(context: Context): Promise<(Finding & { name?: string })[]> | (Finding & { name?: string })[]
}

/** Checks whose problems the daemon can repair without losing data. */
export const REPAIRED_CHECKS = ['permissions', 'leftovers'] as const
export type RepairedCheck = (typeof REPAIRED_CHECKS)[number]

/** Runs checks one after another. A check that throws has failed. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
): Promise<NamedFinding[]> {
  const findings: NamedFinding[] = []
  for (const { name, run } of checks) {
    try {
      findings.push(...(await run(context)).map(finding => ({ name, ...finding })))
    } catch (error) {
      const message = `could not be checked: ${(error as Error).message}`
      findings.push({ name, ...fail(message, 'Repair this, then check again', 'mcp doctor') })
    }
  }
  return findings
}

export const pass = (message: string): Finding => ({ status: 'pass', message })

export const warn = (message: string, description: string, command?: string): Finding => ({
  status: 'warn',
  message,
  fix: { description, ...(command && { command }) },
})

export const fail = (message: string, description: string, command?: string): Finding => ({
  status: 'fail',
  message,
  fix: { description, ...(command && { command }) },
})
