import type { NextStep } from '../../shared/errors.ts'
import type { CommandContext } from '../command-context.ts'

/** What one check found. `fix` is there whenever the status is not `pass`. */
export interface Finding {
  status: 'pass' | 'warn' | 'fail'
  message: string
  fix?: NextStep
}

/** One thing that `mcp doctor` looks at. */
export interface Check {
  name: string
  run(context: CommandContext): Promise<Finding[]> | Finding[]
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
