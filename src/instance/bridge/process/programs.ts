import type { Readable, Writable } from 'node:stream'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { commandLine } from './command-line.ts'
import { ProcessGuard } from './process-guard.ts'
import type { RunnableProgram } from './program-command.ts'
import { type ProgramEnding, ProgramProcess } from './program-process.ts'

/** A program that speaks MCP over its standard input and output: a process or a container. */
export interface RunningProgram {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Last lines of its standard error. */
  readonly lastLines: readonly string[]
  readonly ended: Promise<ProgramEnding>
  /** Advice for the client of a failed call. */
  adviceFor?(failure: string): string | undefined
  /** Resolves when it has stopped. */
  stop(): Promise<void>
}

/** Starts the program. Throws ChildStartError if that fails. */
export type StartProgram = (onStderr: (line: string) => void) => RunningProgram

/** Starts a server's program, once or per session. */
export interface Programs {
  start: StartProgram
  /** Call after all programs have stopped. */
  close(): void
}

/** Runs a program as a process on this machine. `onGaps` receives the protections that are missing here. */
export function localPrograms(
  program: RunnableProgram,
  tenant: Tenant,
  onGaps: (gaps: readonly string[] | undefined) => void = () => {},
): Programs {
  const guard = new ProcessGuard()
  return {
    start(onStderr) {
      const line = commandLine(program, tenant)
      onGaps(line.gaps)
      return new ProgramProcess(line, { guard, onStderr })
    },
    close: () => guard.close(),
  }
}
