import type { NextStep } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'

/** Result of a check. `fix` is set unless the status is `pass`. */
export interface Finding {
  status: 'pass' | 'warn' | 'fail'
  message: string
  fix?: NextStep
}

/** One check of `mcp doctor`. */
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
