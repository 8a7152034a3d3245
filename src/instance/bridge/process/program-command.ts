import type { Program } from '../../../shared/definitions/artifact.ts'
import type { ProgramLimits } from '../../../shared/instances/instance-protocol.ts'

export type RunnableProgram = Exclude<Program, { type: 'module' | 'image' }>

/** Command that starts a program: absolute file, arguments, complete environment and working folder. */
export interface CommandLine {
  file: string
  args: string[]
  env: Record<string, string>
  cwd: string
  /** System call filter. The sandbox reads it from FILTER_DESCRIPTOR. */
  filter?: Buffer
  /** True when all processes of the program stop with the first one. Undefined when the program starts no other processes. */
  isContained?: boolean
  limits?: ProgramLimits
  /** Missing protections. Each text completes a sentence about the program. */
  gaps?: string[]
}
