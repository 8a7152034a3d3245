import type { Output } from '../output/output.ts'

/** True for a person at a terminal who has not turned the hint off. */
export function wantsUpdateHint(
  command: string,
  { terminal, interactive, quiet }: Pick<Output, 'terminal' | 'interactive' | 'quiet'>,
  { MCP_NO_UPDATE_CHECK, NO_UPDATE_NOTIFIER }: NodeJS.ProcessEnv,
): boolean {
  return (
    terminal &&
    interactive &&
    !quiet &&
    !command.startsWith('__') &&
    !MCP_NO_UPDATE_CHECK &&
    !NO_UPDATE_NOTIFIER
  )
}
